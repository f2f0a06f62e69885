//! What methods see: the source, the target, and parsers of both. Parses and the second parser are made when a method first asks.

use std::cell::OnceCell;
use std::sync::Arc;

use quaich_parser::distillation::Taught;
use quaich_parser::pretraining::PretrainedEncoder;
use quaich_parser::{Model, Observer, Result, Settings, Trainer};
use quaich_treebank::{Node, Role, Sentence};

use crate::curve::{Curve, Graded};
use crate::tags::read;

/// A set of sentences that parsers parse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The target text.
    Target,
    /// Held-out source sentences.
    HeldOut,
    /// Target sentences with gold trees, for the report only.
    Gold,
}

/// The input of a method.
pub(crate) struct Domain<'d> {
    /// Trains models as the user has asked for them.
    pub(crate) trainer: Trainer<'d>,
    pub(crate) observer: &'d dyn Observer,
    /// The model of the source.
    pub(crate) model: &'d Model,
    /// The source sentences to learn from.
    pub(crate) source: &'d [Sentence],
    pub(crate) target: &'d [Sentence],
    pub(crate) held_out: &'d [Sentence],
    pub(crate) gold: &'d [Sentence],
    /// Whether the target has tags.
    pub(crate) has_tags: bool,
    /// The maximum number of sentences to add.
    pub(crate) max_sentences: usize,
    first: [OnceCell<Vec<Taught>>; 3],
    second_model: OnceCell<Model>,
    second: [OnceCell<Vec<Taught>>; 3],
    encoder: OnceCell<Pretrained>,
}

/// A pretrained encoder, or the reason why there is none.
pub(crate) type Pretrained = std::result::Result<Arc<PretrainedEncoder>, &'static str>;

impl<'d> Domain<'d> {
    pub(crate) fn new(
        (trainer, observer): (Trainer<'d>, &'d dyn Observer),
        model: &'d Model,
        [source, target, held_out, gold]: [&'d [Sentence]; 4],
        (has_tags, max_sentences): (bool, usize),
    ) -> Self {
        let (first, second_model, second, encoder) = Default::default();
        Self {
            trainer,
            observer,
            model,
            source,
            target,
            held_out,
            gold,
            has_tags,
            max_sentences,
            first,
            second_model,
            second,
            encoder,
        }
    }

    fn part(&self, part: Part) -> &'d [Sentence] {
        match part {
            Part::Target => self.target,
            Part::HeldOut => self.held_out,
            Part::Gold => self.gold,
        }
    }

    /// The parses of the source model, with tags.
    pub(crate) fn first(&self, part: Part) -> Result<&[Taught]> {
        once(&self.first[part as usize], || self.model.teach(self.part(part))).map(Vec::as_slice)
    }

    /// The parses of the second parser, which sees the tags of the first.
    pub(crate) fn second(&self, part: Part) -> Result<&[Taught]> {
        let parse = || {
            let tagged: Vec<Sentence> =
                self.first(part)?.iter().map(|taught| taught.sentence.clone()).collect();
            self.second_model()?.teach(&tagged)
        };
        once(&self.second[part as usize], parse).map(Vec::as_slice)
    }

    /// Whether the second parser has not been trained yet.
    pub(crate) fn needs_second(&self) -> bool {
        self.second_model.get().is_none()
    }

    /// The second parser, trained when it is first needed.
    pub(crate) fn second_model(&self) -> Result<&Model> {
        once(&self.second_model, || {
            let settings = second_settings(self.trainer.settings(), self.model)?;
            Trainer::new(&settings).observer(self.observer).train(self.source)
        })
    }

    /// The encoder that is pretrained on the target, made like this when it is first needed.
    pub(crate) fn encoder(&self, pretrain: impl FnOnce() -> Result<Pretrained>) -> Result<&Pretrained> {
        once(&self.encoder, pretrain)
    }

    /// The curve over the confidence that `grade` gives to the sentences of a part.
    pub(crate) fn curve(
        &self,
        confidence: &'static str,
        grade: impl Fn(Part) -> Result<Vec<f32>>,
    ) -> Result<Curve> {
        let of = |part: Part| -> Result<Vec<Graded>> {
            let graded = grade(part)?.into_iter().zip(self.first(part)?).zip(self.part(part));
            Ok(graded
                .map(|((confidence, taught), gold)| graded_sentence(confidence, &taught.sentence, gold))
                .collect())
        };
        let target = of(Part::Target)?;
        // Trees of the target, if it has any, are not used.
        let target: Vec<Graded> = target
            .into_iter()
            .zip(self.target)
            .map(|(graded, sentence)| Graded { tokens: sentence.n_tokens(), right: 0, ..graded })
            .collect();
        Ok(Curve::new(confidence, &target, &of(Part::HeldOut)?, &of(Part::Gold)?))
    }

    /// The target sentences with at least this confidence: those with the highest, at most as many as are wanted, in order.
    pub(crate) fn choose(&self, confidence: &[f32], min: f32) -> Vec<usize> {
        let mut chosen: Vec<usize> =
            (0..confidence.len()).filter(|&number| confidence[number] >= min).collect();
        chosen.sort_by(|&one, &other| confidence[other].total_cmp(&confidence[one]));
        chosen.truncate(self.max_sentences);
        chosen.sort_unstable();
        chosen
    }
}

/// A sentence compared with its gold tree.
fn graded_sentence(confidence: f32, parsed: &Sentence, gold: &Sentence) -> Graded {
    let known = || gold.tokens().filter(|token| gold.heads()[token.index()].is_some());
    let right =
        known().filter(|&token| same_head(parsed, gold, token) && parsed.label(token) == gold.label(token));
    Graded { confidence, tokens: known().count(), right: right.count() }
}

fn same_head(one: &Sentence, other: &Sentence, token: Node) -> bool {
    one.heads()[token.index()] == other.heads()[token.index()]
}

/// The words whose head and label are the same in two parses.
pub(crate) fn agreed<'s>(one: &'s Sentence, other: &'s Sentence) -> impl Iterator<Item = Node> + 's {
    one.tokens().filter(move |&token| same_head(one, other, token) && one.label(token) == other.label(token))
}

/// The share of the arcs that two parses have in common.
#[allow(clippy::cast_precision_loss, reason = "numbers of words")]
pub(crate) fn agreement(one: &Sentence, other: &Sentence) -> f32 {
    agreed(one, other).count() as f32 / one.n_tokens().max(1) as f32
}

/// The partial tree of the arcs that two parses have in common.
pub(crate) fn partial_tree(one: &Sentence, other: &Sentence) -> Sentence {
    let layout = one.layout();
    let mut columns: Vec<usize> =
        [Role::Head, Role::Label].into_iter().filter_map(|role| layout.position(role)).collect();
    columns.sort_unstable();
    let mut is_agreed = vec![false; one.n_tokens() + 1];
    agreed(one, other).for_each(|token| is_agreed[token.index()] = true);
    let mut text = Vec::new();
    one.write_replacing(&mut text, &columns, |token, column, out| {
        let cell = if is_agreed[token.index()] { one.cell(token, column) } else { "_" };
        out.extend_from_slice(cell.as_bytes());
    });
    read(one, &text)
}

/// The settings of the second parser: another learner, and the other direction.
fn second_settings(first: &Settings, model: &Model) -> Result<Settings> {
    let learner = if first.learner() == "linear" { "network" } else { "linear" };
    let direction =
        if model.plan().system.to_string().starts_with(RIGHT_TO_LEFT) { "" } else { RIGHT_TO_LEFT };
    let mut settings = Settings::default();
    settings.set("learner", learner)?;
    settings.set("system", &format!("{direction}{SECOND_SYSTEM}"))?;
    for (name, value) in first.given() {
        if ["root", "single-root", "seed", "max-tokens"].contains(&name)
            || name.starts_with(&format!("{learner}."))
        {
            settings.set(name, &value.to_string())?;
        }
    }
    Ok(settings)
}

/// The prefix of systems that read sentences from the end.
const RIGHT_TO_LEFT: &str = "rtl:";
/// The system of the second parser.
const SECOND_SYSTEM: &str = "swap-lazy";

/// The value of a cell, made when it is first asked for.
fn once<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;

    fn sentence(arcs: &[(&str, &str)]) -> Sentence {
        let row = |(number, (head, label)): (usize, &(&str, &str))| {
            format!("{number}\tw{number}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n")
        };
        let text: String = (1..).zip(arcs).map(row).collect();
        Treebank::from_text(&format!("# text = x\n{text}\n")).unwrap()[0].clone()
    }

    #[test]
    fn arcs_that_two_trees_agree_on_are_a_partial_tree() {
        let one = sentence(&[("2", "nsubj"), ("0", "root"), ("2", "obj"), ("3", "det")]);
        let other = sentence(&[("2", "obj"), ("0", "root"), ("2", "obj"), ("2", "det")]);
        let partial = partial_tree(&one, &other);
        let expected = sentence(&[("_", "_"), ("0", "root"), ("2", "obj"), ("_", "_")]);
        assert_eq!(partial.text(), expected.text());
        assert!((agreement(&one, &other) - 0.5).abs() < 1e-6);
        assert_eq!(partial_tree(&one, &one).text(), one.text());
    }
}
