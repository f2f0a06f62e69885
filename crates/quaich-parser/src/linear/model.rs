//! The linear model: scores are sums of feature weights, looked up by hash.

use std::sync::Arc;

use quaich_features::{Program, Scratch, Template, TokenValues};

use super::narrow::{MAX_CLASSES, Narrow};
use super::wide::{Wide, WideScratch};
use crate::decisions::{Question, Subject};
use crate::huge_pages::Lines;
use crate::scorer::{Allowed, Scorer, State};

/// One table of weights per question, and the feature extraction programs.
#[derive(Debug)]
pub(crate) struct Linear {
    /// One per question.
    pub(super) by_question: Vec<QuestionTable>,
}

/// The table of a question.
#[derive(Debug)]
pub(super) struct QuestionTable {
    pub(super) templates: Vec<Template>,
    program: Program,
    pub(super) table: Arc<Table>,
}

/// The weights of a question.
#[derive(Debug)]
pub(crate) enum Table {
    /// For few classes.
    Narrow(Narrow),
    /// For many classes.
    Wide(Wide),
}

impl Table {
    /// The scale of scores.
    pub(super) fn scale(&self) -> f32 {
        match self {
            Self::Narrow(table) => table.scale(),
            Self::Wide(table) => table.scale(),
        }
    }

    /// The bytes of buckets and rows; narrow tables have no separate rows.
    pub(super) fn bytes(&self) -> (&[u8], &[u8]) {
        match self {
            Self::Narrow(table) => (table.bytes(), &[]),
            Self::Wide(table) => table.bytes(),
        }
    }

    /// A table from its lines, if they are valid.
    pub(super) fn from_lines(question: &Question, buckets: Lines, rows: Lines, scale: f32) -> Option<Self> {
        if !(scale.is_finite() && scale >= 0.0) {
            return None;
        }
        if question.subject == Subject::Kind {
            Narrow::from_lines(buckets, question.n_classes.max(2), scale).map(Self::Narrow)
        } else {
            Wide::from_lines(buckets, rows, question.n_classes, scale).map(Self::Wide)
        }
    }
}

/// The buffers of one thread.
#[derive(Debug, Default)]
pub(crate) struct LinearScratch {
    features: Scratch,
    narrow: [f32; MAX_CLASSES],
    wide: WideScratch,
}

impl Linear {
    /// A model from the templates and the table of each question.
    pub(crate) fn new<'t>(
        questions: impl IntoIterator<Item = (&'t [Template], Arc<Table>)>,
        token_values: &mut TokenValues,
    ) -> Self {
        let entry = |(templates, table): (&[Template], Arc<Table>)| QuestionTable {
            templates: templates.to_vec(),
            program: Program::compile(templates, token_values),
            table,
        };
        Self { by_question: questions.into_iter().map(entry).collect() }
    }
}

impl Scorer for Linear {
    type Scratch = LinearScratch;

    #[inline]
    fn scores<'s>(
        &self,
        question: usize,
        State { c, tokens, focus, .. }: State<'_>,
        _allowed: Allowed<'_>,
        scratch: &'s mut LinearScratch,
    ) -> &'s [f32] {
        let QuestionTable { program, table, .. } = &self.by_question[question];
        program.run(c, tokens, focus, &mut scratch.features);
        match &**table {
            Table::Narrow(table) => {
                let scale = table.scale();
                #[allow(clippy::cast_precision_loss, reason = "scores are far below 2²⁴ units")]
                let scores = table.score(&scratch.features.hashes).map(|score| score as f32 * scale);
                scratch.narrow = scores;
                &scratch.narrow
            }
            Table::Wide(table) => {
                table.score(&scratch.features.hashes, &mut scratch.wide);
                &scratch.wide.scores
            }
        }
    }
}
