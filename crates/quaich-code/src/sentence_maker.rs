//! Source files and damaged copies of them → sentences with trees.

use quaich_treebank::symbols::Symbols;
use quaich_treebank::{Label, Tree};

use crate::damage::{Blanked, Damage, Random, Trial};
use crate::encode::{Encoder, Labels};
use crate::error::Result;
use crate::grammar::ERROR;
use crate::grammar_columns::GrammarColumns;
use crate::head_rules::HeadRule;
use crate::lexer::Token;
use crate::source_parser::{ParsedSource, SourceParser};
use crate::tree::PhraseTree;
use crate::treebank::SourceFile;

/// Makes sentences of source files. Create one per thread.
#[derive(Debug)]
pub struct SentenceMaker {
    parser: SourceParser,
    encoder: Encoder,
    columns: Option<GrammarColumns>,
}

/// The damaged copies of each file.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// The number of copies per file.
    pub number: usize,
    /// The kinds of damage to choose from.
    pub kinds: Vec<Damage>,
    /// The random seed.
    pub seed: u64,
}

impl SentenceMaker {
    /// Creates a maker; the head rule knows the kinds of the parser.
    pub fn new(parser: SourceParser, rule: HeadRule, labels: Labels) -> Self {
        Self { parser, encoder: Encoder::new(rule, labels), columns: None }
    }

    /// Adds the grammar's analysis as columns, if `with_columns`.
    #[must_use]
    pub fn with_columns(self, with_columns: bool) -> Self {
        Self { columns: with_columns.then(GrammarColumns::default), ..self }
    }

    /// Returns the parser.
    pub fn parser_mut(&mut self) -> &mut SourceParser {
        &mut self.parser
    }

    /// Writes the sentence of a file with the grammar's tree.
    pub fn write(&mut self, name: &str, source: &[u8], parsed: &ParsedSource, out: &mut String) {
        self.write_tree((name, None), (source, &parsed.tokens), &parsed.analysis.tree, parsed, out);
    }

    /// Writes the sentences of damaged copies of a file, with what is left of its tree. Returns how many there are. `number` is
    /// that of the file: the same file, number and seed make the same copies.
    ///
    /// # Errors
    /// If the grammar takes too long for a copy.
    pub fn write_copies(
        &mut self,
        (name, number): (&str, usize),
        source: &[u8],
        parsed: &ParsedSource,
        copies: &Copies,
        out: &mut String,
    ) -> Result<usize> {
        let language = self.parser.language();
        let kinds: Vec<Damage> =
            copies.kinds.iter().copied().filter(|damage| damage.applies_to(language)).collect();
        let mut n_written = 0;
        for copy in 0..copies.number {
            let mut random = Random::new(copies.seed.wrapping_add(copy as u64), number as u64);
            let Some(&damage) = random.pick(&kinds) else { break };
            let Some(trial) = Trial::new(&mut self.parser, (source, parsed), damage, &mut random)? else {
                continue;
            };
            if trial.copy.tokens.is_empty() {
                continue;
            }
            let right = trial.right_tree(parsed);
            let text = (trial.damaged.source(), &trial.copy.tokens[..]);
            self.write_tree((name, Some(damage)), text, &right, &trial.copy, out);
            n_written += 1;
        }
        Ok(n_written)
    }

    /// Writes the sentence of a file that has errors because of macros, with the tree of the file without them.
    ///
    /// # Errors
    /// If the grammar takes too long for it.
    pub fn write_with_macros(&mut self, name: &str, file: &Blanked, out: &mut String) -> Result<()> {
        let trial = Trial::of_macros(&mut self.parser, file)?;
        let right = trial.right_tree(&file.parsed);
        let text = (trial.damaged.source(), &trial.copy.tokens[..]);
        self.write_tree((name, None), text, &right, &trial.copy, out);
        Ok(())
    }

    /// Writes a sentence with a tree; `parsed` is the grammar's analysis.
    fn write_tree(
        &mut self,
        (name, damage): (&str, Option<Damage>),
        (source, tokens): (&[u8], &[Token]),
        tree: &PhraseTree,
        parsed: &ParsedSource,
        out: &mut String,
    ) {
        let names = self.parser.names(tokens);
        let encoded: Tree = self.encoder.encode(tree, &names, self.parser.kinds());
        let labels: &Symbols<Label> = self.encoder.label_symbols();
        let error = self.parser.kinds_mut().intern(ERROR);
        let kinds = self.parser.kinds();
        let columns = self.columns.as_mut().map(|columns| {
            let of = columns.of(&parsed.analysis.tree, &names, kinds, error);
            (of, &*columns)
        });
        let comment = damage.map(|damage| ("damage", damage.name()));
        let file = SourceFile {
            language: self.parser.language(),
            name,
            source,
            tokens,
            comments: comment.as_slice(),
            columns: columns.as_ref().map(|(of, columns)| (of, columns.labels())),
        };
        file.write(Some((&encoded, labels)), out);
    }
}
