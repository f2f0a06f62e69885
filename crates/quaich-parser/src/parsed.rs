//! Parsed sentences and their words, as library users see them.

use std::sync::Arc;

use quaich_treebank::reader::malformed;
use quaich_treebank::{Level, Node, Role, Sentence, Tree};

use crate::error::Result;
use crate::model::Model;

/// A parsed sentence.
///
/// ```
/// # use quaich_parser::{Settings, Trainer};
/// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = quaich_treebank::Treebank::from_text(&text.repeat(10))?;
/// # let model = Trainer::new(&Settings::default().with("learner=linear")?).train(&treebank)?;
/// let parsed = model.worker().parse_sentence(&treebank[0]);
/// assert_eq!(parsed.to_sentence()?.text(), treebank[0].text());
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parsed {
    sentence: Sentence,
    tree: Tree,
    /// Indexed by node; entry 0 has no meaning.
    probabilities: Vec<f32>,
    model: Model,
}

/// A word of a parsed sentence.
///
/// ```
/// # use quaich_parser::{Settings, Trainer};
/// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = quaich_treebank::Treebank::from_text(&text.repeat(10))?;
/// # let model = Trainer::new(&Settings::default().with("learner=linear")?).train(&treebank)?;
/// let parsed = model.worker().parse_words(["Cats", "sleep"])?;
/// let words: Vec<_> = parsed.words().map(|word| (word.form(), word.head(), word.label())).collect();
/// assert_eq!(words, [("Cats", 2, "nsubj"), ("sleep", 0, "root")]);
/// assert!(parsed.words().all(|word| (0.0..=1.0).contains(&word.probability())));
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Word<'p> {
    parsed: &'p Parsed,
    node: Node,
}

impl Parsed {
    pub(crate) fn new(sentence: Sentence, tree: Tree, probabilities: Vec<f32>, model: Model) -> Self {
        Self { sentence, tree, probabilities, model }
    }

    /// The input sentence.
    pub fn sentence(&self) -> &Sentence {
        &self.sentence
    }

    /// The tree, with labels as numbers of [`Model::labels`].
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The words.
    pub fn words(&self) -> impl Iterator<Item = Word<'_>> {
        self.sentence.tokens().map(|node| Word { parsed: self, node })
    }

    /// The sentence with the new heads and labels; an error if its format cannot represent a label.
    pub fn to_sentence(&self) -> Result<Sentence> {
        with_tree(&self.sentence, &self.tree, &self.model)
    }
}

/// The sentence with the heads and labels of a tree.
pub(crate) fn with_tree(sentence: &Sentence, tree: &Tree, model: &Model) -> Result<Sentence> {
    let (mut text, mut problems) = (Vec::new(), Vec::new());
    sentence.write_tree(tree, |label| model.labels().text(label), &mut text);
    let layout = sentence.layout();
    let mut parsed = Sentence::empty(Arc::clone(layout));
    parsed.read_block(layout, &text, sentence.first_line(), &mut problems);
    match problems.into_iter().find(|problem| problem.level == Level::Error) {
        Some(problem) => Err(malformed("a parsed sentence", &parsed, problem).into()),
        None => Ok(parsed),
    }
}

impl<'p> Word<'p> {
    /// Its number in the sentence, starting at 1.
    pub fn number(&self) -> usize {
        self.node.index()
    }

    /// Its form.
    pub fn form(&self) -> &'p str {
        self.parsed.sentence.form(self.node)
    }

    /// Its lemma; `_` if it has none.
    pub fn lemma(&self) -> &'p str {
        self.parsed.sentence.value(self.node, Role::Lemma)
    }

    /// Its coarse part-of-speech tag (UPOS); `_` if it has none.
    pub fn upos(&self) -> &'p str {
        self.parsed.sentence.value(self.node, Role::CoarseTag)
    }

    /// Its fine part-of-speech tag (XPOS); `_` if it has none.
    pub fn xpos(&self) -> &'p str {
        self.parsed.sentence.value(self.node, Role::FineTag)
    }

    /// Its morphological features (FEATS); `_` if it has none.
    pub fn feats(&self) -> &'p str {
        self.parsed.sentence.value(self.node, Role::Feats)
    }

    /// The number of its head, 0 for the root.
    pub fn head(&self) -> usize {
        self.parsed.tree.head(self.node).index()
    }

    /// The label of its arc; `_` if it has none.
    pub fn label(&self) -> &'p str {
        let label = self.parsed.tree.label(self.node);
        if label.is_none() { "_" } else { self.parsed.model.labels().text(label) }
    }

    /// The probability that head and label are correct.
    pub fn probability(&self) -> f32 {
        self.parsed.probabilities[self.node.index()]
    }
}
