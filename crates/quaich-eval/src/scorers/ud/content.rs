//! CLAS and MLAS of a sentence whose tokens and tags are those of the gold standard, so that nothing has to be aligned.

use quaich_treebank::{Node, Sentence};

use super::measures::Counts;
use super::relations::{is_content, is_functional, without_subtype};

/// Heads and relations of a sentence: of the gold standard, or of a parse.
#[derive(Clone, Copy)]
struct Analysis<'a> {
    heads: &'a [Node],
    relations: &'a [&'a str],
}

impl Analysis<'_> {
    fn relation(&self, token: Node) -> &str {
        without_subtype(self.relations[token.index()])
    }

    fn n_content(&self, sentence: &Sentence) -> u64 {
        sentence.tokens().filter(|&token| is_content(self.relation(token))).count() as u64
    }

    fn function_words(&self, sentence: &Sentence, head: Node) -> Vec<Node> {
        let is_function_word =
            |token: &Node| self.heads[token.index()] == head && is_functional(self.relation(*token));
        sentence.tokens().filter(is_function_word).collect()
    }
}

/// Returns the counts of CLAS: content words with the correct head and relation. Heads and relations have an entry for node 0.
pub fn clas(gold: &Sentence, heads: &[Node], relations: &[&str]) -> Counts {
    content(gold, heads, relations, |_, _, _| true)
}

/// Returns the counts of MLAS for gold tags: content words with the correct head, relation and function words.
pub fn mlas(gold: &Sentence, heads: &[Node], relations: &[&str]) -> Counts {
    content(gold, heads, relations, |gold_analysis, analysis, token| {
        let (own, found) = (gold_analysis.function_words(gold, token), analysis.function_words(gold, token));
        own == found && own.iter().all(|&word| gold_analysis.relation(word) == analysis.relation(word))
    })
}

/// Whether a treebank has relations of function words, without which CLAS and MLAS have no meaning.
pub fn has_function_words(sentences: &[Sentence]) -> bool {
    let has = |sentence: &Sentence| {
        sentence.tokens().any(|token| is_functional(without_subtype(sentence.label(token))))
    };
    sentences.iter().any(has)
}

fn content(
    gold: &Sentence,
    heads: &[Node],
    relations: &[&str],
    is_right: impl Fn(Analysis<'_>, Analysis<'_>, Node) -> bool,
) -> Counts {
    let gold_relations: Vec<&str> =
        std::iter::once("_").chain(gold.tokens().map(|token| gold.label(token))).collect();
    let of_gold = Analysis { heads: gold.heads(), relations: &gold_relations };
    let parsed = Analysis { heads, relations };
    let is_correct = |token: &Node| {
        is_content(of_gold.relation(*token))
            && gold.heads()[token.index()] == heads[token.index()]
            && of_gold.relation(*token) == parsed.relation(*token)
            && is_right(of_gold, parsed, *token)
    };
    Counts {
        correct: gold.tokens().filter(is_correct).count() as u64,
        gold: of_gold.n_content(gold),
        system: parsed.n_content(gold),
        aligned: None,
    }
}

#[cfg(test)]
mod tests {
    use quaich_treebank::Treebank;

    use super::*;
    use crate::scorers::{Official, Scorer};

    const GOLD: &str = "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tcat\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n3\tsleeps\t_\tVERB\t_\t_\t0\troot\t_\t_\n\
        4\ton\t_\tADP\t_\t_\t5\tcase\t_\t_\n5\tmats\t_\tNOUN\t_\t_\t3\tobl\t_\t_\n\n";

    /// The same figures as those of the scorer of CoNLL 2018.
    #[test]
    fn as_the_official_scorer() {
        let edits =
            [("", ""), ("\t2\tdet", "\t3\tdet"), ("\t3\tobl", "\t2\tnmod"), ("\t5\tcase", "\t5\tobl")];
        for (from, to) in edits {
            let system = if from.is_empty() { GOLD.to_owned() } else { GOLD.replace(from, to) };
            let read = |text: &str| {
                let source = quaich_treebank::Source::from_stream(
                    std::io::Cursor::new(text.to_owned()),
                    "test".into(),
                    None,
                );
                let options = quaich_treebank::ReadOptions::parse(Some("conllu"), None).unwrap();
                quaich_treebank::Reader::new(source.unwrap(), &options).unwrap()
            };
            let official = super::super::UD.score(read(GOLD), read(&system), &mut || {}).unwrap();
            let Official::Alignment(report) = official else { panic!("the scorer of 2018 aligns") };
            let (gold, parsed) = (Treebank::from_text(GOLD).unwrap(), Treebank::from_text(&system).unwrap());
            let relations: Vec<&str> =
                std::iter::once("_").chain(parsed[0].tokens().map(|token| parsed[0].label(token))).collect();
            for (name, own) in [("CLAS", clas as fn(&Sentence, &[Node], &[&str]) -> Counts), ("MLAS", mlas)] {
                let known = report.measures.iter().find(|(known, _)| *known == name).unwrap().1;
                let own = own(&gold[0], parsed[0].heads(), &relations);
                assert_eq!(
                    (own.correct, own.gold, own.system),
                    (known.correct, known.gold, known.system),
                    "{name} {to}"
                );
            }
        }
        assert!(has_function_words(&Treebank::from_text(GOLD).unwrap()));
        let without = GOLD.replace("det", "Atr").replace("case", "AuxP");
        assert!(!has_function_words(&Treebank::from_text(&without).unwrap()));
    }
}
