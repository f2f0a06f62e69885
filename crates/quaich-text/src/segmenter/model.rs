//! A trained segmenter and its model file.

use quaich_learn::encoder::{Encoder, SlotHead};
use quaich_learn::{Arrays, LoadError};

use super::characters::CharacterVocabulary;
use super::lexicon::Lexicon;
use super::training_text::N_CLASSES;
use super::words::WordVocabulary;
use crate::surface::Spacing;

/// Splits text into tokens and sentences.
#[derive(Clone, Debug)]
pub struct Segmenter {
    pub(super) characters: CharacterVocabulary,
    /// Known words, only for scripts without spaces.
    pub(super) lexicon: Option<Lexicon>,
    pub(super) scorer: Scorer,
    /// The vocabulary and the scorer of the word encoder, which rescores sentence ends.
    pub(super) words: Option<(WordVocabulary, Scorer)>,
    pub(super) conventions: Conventions,
}

/// An encoder with a classifier of its items.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Scorer {
    pub(super) encoder: [Encoder; 1],
    pub(super) head: SlotHead,
}

/// The segmentation conventions of the training treebank, and parameters of decoding.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent properties of a treebank")]
pub(super) struct Conventions {
    /// Some tokens contain spaces.
    pub(super) has_spaces_in_tokens: bool,
    /// A URL is one token.
    pub(super) keeps_urls_whole: bool,
    /// An email address is one token.
    pub(super) keeps_emails_whole: bool,
    /// The treebank does not record spaces.
    pub(super) is_spacing_assumed: bool,
    /// The weight of the word encoder in the log-odds of sentence ends, from 0 to 1.
    pub(super) word_weight: f32,
    /// The cost per sentence in decoding.
    pub(super) sentence_cost: f32,
}

impl Segmenter {
    /// How the spaces of the training text were determined.
    pub fn spacing(&self) -> Spacing {
        if self.conventions.is_spacing_assumed { Spacing::Assumed } else { Spacing::Recorded }
    }

    /// Saves the segmenter as arrays.
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
        let Conventions {
            has_spaces_in_tokens,
            keeps_urls_whole,
            keeps_emails_whole,
            is_spacing_assumed,
            ..
        } = self.conventions;
        let flags = [has_spaces_in_tokens, keeps_urls_whole, keeps_emails_whole, is_spacing_assumed];
        arrays.set("flags", &flags.map(u8::from));
        arrays.set("shares", &[self.conventions.word_weight, self.conventions.sentence_cost]);
    }

    /// Loads a segmenter. Sizes are checked against the arrays, because files may be malicious.
    pub fn load(arrays: &Arrays) -> Result<Self, LoadError> {
        let characters = CharacterVocabulary::load(arrays)?;
        let lexicon = arrays.part("lexicon");
        let has_lexicon = lexicon.iter().next().is_some();
        let lexicon = if has_lexicon { Some(Lexicon::load(&lexicon)?) } else { None };
        let scorer = Scorer::load("character", arrays)?;
        scorer.check("character", &characters.attributes(has_lexicon), N_CLASSES)?;
        let words = arrays.part("words");
        let words = if words.iter().next().is_some() {
            let (words, scorer) = (WordVocabulary::load(&words)?, Scorer::load("word", arrays)?);
            scorer.check("word", &words.attributes(), 2)?;
            Some((words, scorer))
        } else {
            None
        };
        let flags: Vec<u8> = arrays.get_exactly("flags", 4)?;
        let parameters: Vec<f32> = arrays.get_exactly("shares", 2)?;
        if !parameters.iter().all(|parameter| (0.0..=1.0).contains(parameter)) {
            return Err(LoadError::unfit("shares", "has a number that is not between 0 and 1"));
        }
        let conventions = Conventions {
            has_spaces_in_tokens: flags[0] != 0,
            keeps_urls_whole: flags[1] != 0,
            keeps_emails_whole: flags[2] != 0,
            is_spacing_assumed: flags[3] != 0,
            word_weight: parameters[0],
            sentence_cost: parameters[1],
        };
        Ok(Self { characters, lexicon, scorer, words, conventions })
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

    /// Checks that the encoder has these attributes and the classifier this number of classes.
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
        if fits { Ok(()) } else { Err(LoadError::unfit(name, "does not fit the other arrays")) }
    }
}

/// Saves a part under a name.
fn nest(name: &str, arrays: &mut Arrays, save: impl FnOnce(&mut Arrays)) {
    let mut part = Arrays::default();
    save(&mut part);
    arrays.nest(name, part);
}
