//! A trained segmenter.

use quaich_learn::encoder::{Encoder, SlotHead};
use quaich_learn::{Arrays, LoadError};

use super::characters::Characters;
use super::lexicon::Lexicon;
use super::training_text::N_CLASSES;
use super::words::Words;
use crate::surface::Spacing;

/// Splits text into tokens and sentences.
#[derive(Clone, Debug)]
pub struct Segmenter {
    pub(super) characters: Characters,
    /// Known words, for scripts without spaces.
    pub(super) lexicon: Option<Lexicon>,
    pub(super) scorer: Scorer,
    /// The second opinion on sentence ends.
    pub(super) words: Option<(Words, Scorer)>,
    pub(super) habits: Habits,
}

/// An encoder and what is asked about its items.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Scorer {
    pub(super) encoder: [Encoder; 1],
    pub(super) head: SlotHead,
}

/// What the treebank does, as far as it is no matter of context.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that treebanks do or do not")]
pub(super) struct Habits {
    /// There are tokens with spaces in them.
    pub(super) has_inner_spaces: bool,
    /// Addresses of pages, and of people, are one token.
    pub(super) has_whole_pages: bool,
    pub(super) has_whole_mails: bool,
    /// The treebank does not record spaces.
    pub(super) is_spacing_assumed: bool,
    /// How much the second opinion counts.
    pub(super) weight_of_words: f32,
    /// What a sentence costs when sentences are chosen.
    pub(super) price: f32,
}

impl Segmenter {
    /// Where the spaces of the training text came from.
    pub fn spacing(&self) -> Spacing {
        if self.habits.is_spacing_assumed { Spacing::Assumed } else { Spacing::Recorded }
    }

    /// Puts everything among arrays.
    pub fn save(&self, arrays: &mut Arrays) {
        self.characters.save(arrays);
        if let Some(lexicon) = &self.lexicon {
            nest("lexicon", arrays, |arrays| lexicon.save(arrays));
        }
        self.scorer.save("character", arrays);
        if let Some((words, scorer)) = &self.words {
            nest("words", arrays, |arrays| words.save(arrays));
            scorer.save("word", arrays);
        }
        let Habits { has_inner_spaces, has_whole_pages, has_whole_mails, is_spacing_assumed, .. } =
            self.habits;
        let flags = [has_inner_spaces, has_whole_pages, has_whole_mails, is_spacing_assumed];
        arrays.set("flags", &flags.map(u8::from));
        arrays.set("shares", &[self.habits.weight_of_words, self.habits.price]);
    }

    /// Takes everything from arrays. Nothing is believed that the arrays do not bear out.
    pub fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let characters = Characters::load(arrays)?;
        let lexicon = arrays.part("lexicon");
        let has_lexicon = lexicon.iter().next().is_some();
        let lexicon = if has_lexicon { Some(Lexicon::load(&lexicon)?) } else { None };
        let scorer = Scorer::load("character", arrays)?;
        scorer.check("character", &characters.attributes(has_lexicon), N_CLASSES)?;
        let words = arrays.part("words");
        let words = if words.iter().next().is_some() {
            let (words, scorer) = (Words::load(&words)?, Scorer::load("word", arrays)?);
            scorer.check("word", &words.attributes(), 2)?;
            Some((words, scorer))
        } else {
            None
        };
        let flags: Vec<u8> = arrays.get_exactly("flags", 4)?;
        let shares: Vec<f32> = arrays.get_exactly("shares", 2)?;
        if !shares.iter().all(|share| (0.0..=1.0).contains(share)) {
            return Err(LoadError::unfit("shares", "has a share that is not between 0 and 1"));
        }
        let habits = Habits {
            has_inner_spaces: flags[0] != 0,
            has_whole_pages: flags[1] != 0,
            has_whole_mails: flags[2] != 0,
            is_spacing_assumed: flags[3] != 0,
            weight_of_words: shares[0],
            price: shares[1],
        };
        Ok(Self { characters, lexicon, scorer, words, habits })
    }
}

impl Scorer {
    fn save(&self, name: &str, arrays: &mut Arrays) {
        nest(&format!("{name}.encoder"), arrays, |arrays| self.encoder[0].save(arrays));
        nest(&format!("{name}.head"), arrays, |arrays| self.head.save(arrays));
    }

    fn load(name: &str, arrays: &Arrays) -> Result<Self, LoadError> {
        let encoder = [Encoder::load(&arrays.part(&format!("{name}.encoder")))?];
        Ok(Self { encoder, head: SlotHead::load(&arrays.part(&format!("{name}.head")))? })
    }

    /// Whether it is about these attributes and classes.
    fn check(
        &self,
        name: &str,
        attributes: &[quaich_learn::encoder::Attribute],
        classes: usize,
    ) -> Result<(), LoadError> {
        let shape = self.head.shape();
        let fits = self.head.fits(&self.encoder[0])
            && self.encoder[0].shape().attributes == attributes
            && (shape.slots, shape.marks, shape.classes) == (1, 0, classes);
        if fits { Ok(()) } else { Err(LoadError::unfit(name, "does not fit the rest")) }
    }
}

fn nest(name: &str, arrays: &mut Arrays, save: impl FnOnce(&mut Arrays)) {
    let mut part = Arrays::default();
    save(&mut part);
    arrays.nest(name, part);
}
