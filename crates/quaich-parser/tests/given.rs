//! Given heads and phrases in parses: kept by every model, for any consistent set of them.

use proptest::prelude::*;
use quaich_parser::recipe::Recipe;
use quaich_parser::{Keep, Model, Settings, Trainer, Unobserved, train};
use quaich_testkit::strategies::mixed_tree;
use quaich_treebank::{Node, Sentence, Tree, Treebank};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const DEV: &str = include_str!("../../../data/sample/dev.conllu");

/// An ensemble of parsers with different systems, one of them with a transformation.
const RECIPE: &str = "
[[parser]]
system = 'swap-lazy'
[[parser]]
system = 'arc-eager'
transform = 'pseudo-projective:head+path'
[[parser]]
system = 'rtl:arc-standard'
transform = 'none'
decision = 'joint'
";

fn settings() -> Settings {
    ["learner=linear", "linear.epochs=2", "linear.folds=0"]
        .iter()
        .fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

fn sentences(text: &str) -> Vec<Sentence> {
    Treebank::from_text(text).unwrap().to_vec()
}

fn models() -> Vec<Model> {
    let treebank = sentences(TRAIN);
    let ensemble = Recipe::from_toml(RECIPE, &settings()).unwrap();
    let ensemble = Trainer::default().recipe(ensemble).train(&treebank).unwrap();
    let verb_groups = settings().with("transform=verb-groups:ud").unwrap();
    let only = |number| ensemble.only(number).unwrap();
    let transformed = train(&treebank, &verb_groups, &Unobserved);
    vec![only(1), only(2), only(3), transformed.unwrap(), ensemble]
}

/// A sentence with these heads and labels instead of its own; `_` where there is no head.
fn with_heads(sentence: &Sentence, heads: &[Option<u32>], label: impl Fn(usize) -> &'static str) -> Sentence {
    let row = |token: Node| {
        let index = token.index();
        let (head, label) = match heads[index - 1] {
            Some(head) => (head.to_string(), label(index)),
            None => ("_".to_owned(), "_"),
        };
        format!("{index}\t{}\t_\tNOUN\t_\t_\t{head}\t{label}\t_\t_\n", sentence.form(token))
    };
    let text: String = sentence.tokens().map(row).collect();
    sentences(&(text + "\n"))[0].clone()
}

/// The heads of a tree for the tokens that are given.
fn part(tree: &Tree, n_tokens: usize, is_given: &[bool]) -> Vec<Option<u32>> {
    let head = |token: usize| is_given[token - 1].then(|| tree.heads()[token].0);
    (1..=n_tokens).map(head).collect()
}

#[test]
fn given_heads_and_labels_are_kept() {
    let dev = sentences(DEV);
    let models = models();
    let given = mixed_tree(1..=12).prop_flat_map(|tree| {
        let n_tokens = tree.n_tokens();
        (Just(tree), proptest::collection::vec(any::<bool>(), n_tokens), 0..DEV.matches("\n\n").count())
    });
    proptest!(ProptestConfig::with_cases(300), |((tree, is_given, number) in given)| {
        let long_enough = dev.iter().cycle().skip(number).take(dev.len());
        let Some(sentence) = long_enough.into_iter().find(|it| it.n_tokens() == tree.n_tokens()) else {
            return Ok(());
        };
        let heads = part(&tree, tree.n_tokens(), &is_given);
        let sentence = with_heads(sentence, &heads, |token| ["obl", "_", "no-such-label"][token % 3]);
        for model in &models {
            let mut worker = model.worker();
            worker.keep_given(true);
            for scores in [false, true] {
                let mut text = Vec::new();
                worker.parse_text(&sentence, scores, &mut text);
                let parsed = &sentences(std::str::from_utf8(&text).unwrap())[0];
                prop_assert!(worker.parse(&sentence).is_well_formed());
                for token in sentence.tokens().filter(|token| heads[token.index() - 1].is_some()) {
                    prop_assert_eq!(parsed.heads()[token.index()], sentence.heads()[token.index()]);
                    if sentence.label(token) != "_" {
                        prop_assert_eq!(parsed.label(token), sentence.label(token));
                    }
                }
            }
        }
    });
}

#[test]
fn the_parser_is_free_where_nothing_is_given() {
    for (number, model) in models().into_iter().enumerate() {
        let (mut plain, mut keeping) = (model.worker(), model.worker());
        keeping.keep_given(true);
        keeping.keep_spans(true);
        for sentence in sentences(DEV).iter().take(20) {
            let bare = with_heads(sentence, &vec![None; sentence.n_tokens()], |_| "_");
            assert_eq!(plain.parse(&bare), keeping.parse(&bare));
            // What the parser finds itself changes nothing.
            let tree = plain.parse(&bare).clone();
            let heads: Vec<Option<u32>> = tree.heads()[1..].iter().map(|head| Some(head.0)).collect();
            assert_eq!(keeping.parse(&with_heads(sentence, &heads, |_| "_")).heads(), tree.heads());
            // Only the first parser can build all trees.
            assert!(number > 0 || keeping.n_set_afterwards(sentence) == 0);
        }
    }
}

#[test]
fn phrases_stay_together() {
    for model in models() {
        let mut worker = model.worker();
        worker.keep_spans(true);
        worker.keep(Keep::Lemmas);
        for sentence in sentences(DEV).iter().filter(|sentence| sentence.n_tokens() > 4) {
            for (first, last) in [(1, 3), (2, 4), (3, sentence.n_tokens())] {
                let text = format!("# span = {first}-{last}\n{}", sentence.text());
                let marked = &sentences(&text)[0];
                let tree = worker.parse(marked);
                assert!(tree.is_well_formed());
                let is_inside = |node: Node| (first..=last).contains(&node.index());
                let exits = (first..=last).filter(|token| !is_inside(tree.heads()[*token])).count();
                assert_eq!(exits, 1, "{first}-{last} {:?}", tree.heads());
            }
        }
    }
}
