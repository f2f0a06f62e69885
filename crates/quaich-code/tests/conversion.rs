//! Encoding and decoding on random trees, and on the deepest ones.

mod common;

use common::{any_tree, encoder, kinds, rules};
use proptest::collection::vec;
use proptest::prelude::*;
use quaich_code::tree::{NONE, TreeBuilder};
use quaich_code::{
    BracketOptions, BracketReader, Decoder, Encoder, HeadRule, HeadTable, Kind, Kinds, Labels, PhraseTree,
};
use quaich_treebank::shape::Shapes;
use quaich_treebank::{Label, Node, Symbols, Tree};

proptest! {
    #[test]
    fn trees_come_back_under_every_head_rule(trees in vec(any_tree(), 1..5)) {
        let mut kinds = kinds();
        for rule in rules(&trees, &mut kinds) {
            let mut encoder = encoder(rule);
            let encoded: Vec<Tree> =
                trees.iter().map(|(tree, names)| encoder.encode(tree, names, &kinds)).collect();
            let mut decoder = Decoder::new(Kind(0));
            for (encoded, (tree, _)) in encoded.iter().zip(&trees) {
                prop_assert!(tree.is_continuous());
                prop_assert!(encoded.is_well_formed());
                prop_assert_eq!(encoded.tokens().filter(|&token| encoded.head(token).is_root()).count(), 1);
                let mut shapes = Shapes::default();
                shapes.read(encoded).unwrap();
                prop_assert!(shapes.is_projective());
                let decoded = decoder.decode(encoded, |label| encoder.label_symbols().text(label), &mut kinds);
                prop_assert_eq!(&decoded, tree);
            }
        }
    }

    #[test]
    fn any_heads_and_labels_give_a_tree(
        arcs in vec((0..80u32, 0..12usize), 1..60),
        projective in quaich_testkit::strategies::projective_tree(1..=30),
    ) {
        let texts = ["a|b@0", "a@3", "*@1", "~b@1", "b*3|a@2", "*", "nsubj", "a|a@9999", "~a|b*2@2", "_", "a@1", "*@0"];
        let (mut kinds, mut symbols) = (kinds(), Symbols::<Label>::new());
        let labels: Vec<Label> = texts.iter().map(|text| symbols.intern(text)).collect();
        // Heads that are no nodes, cycles and crossing arcs.
        let mut tree = Tree::new(arcs.len());
        for (token, &(head, label)) in (1..).zip(&arcs) {
            let head = if head == 79 { Node::NONE } else { Node(head) };
            tree.set(Node(token), head, if label == 11 { Label::NONE } else { labels[label] });
        }
        // Projective ones.
        let mut other = projective.clone();
        for token in projective.tokens() {
            other.set(token, projective.head(token), labels[arcs[token.index() % arcs.len()].1]);
        }
        let mut decoder = Decoder::new(Kind(0));
        for tree in [tree, other] {
            let decoded = decoder.decode(&tree, |label| symbols.text(label), &mut kinds);
            prop_assert_eq!(decoded.n_tokens(), tree.n_tokens());
            prop_assert!(decoded.is_continuous());
            // What is decoded is a tree like any other.
            for rule in [HeadRule::Left, HeadRule::Right, HeadRule::Term] {
                let mut encoder = encoder(rule);
                let names = vec![Kind(8); tree.n_tokens()];
                let encoded = encoder.encode(&decoded, &names, &kinds);
                let again = Decoder::new(Kind(0)).decode(&encoded, |label| encoder.label_symbols().text(label), &mut kinds);
                prop_assert_eq!(&again, &decoded);
            }
        }
    }
}

/// Returns the tree of 100,000 nested parentheses around a token, one nonterminal per pair.
fn nested(depth: u32) -> PhraseTree {
    let mut builder = TreeBuilder::default();
    let mut parent = builder.nonterminal(Kind(0), NONE);
    for _ in 0..depth {
        parent = builder.nonterminal(Kind(1), parent);
        builder.token(parent, Kind::NONE);
    }
    builder.token(parent, Kind::NONE);
    for above in (1..=depth).rev() {
        builder.token(above, Kind::NONE);
    }
    builder.finish()
}

/// Returns the tree of `a + a + …`, which nests to the left.
fn operators(n: u32) -> PhraseTree {
    let mut builder = TreeBuilder::default();
    let root = builder.nonterminal(Kind(0), NONE);
    for i in 0..n {
        builder.nonterminal(Kind(1), if i == 0 { root } else { i });
    }
    builder.token(n, Kind::NONE);
    for i in (1..=n).rev() {
        builder.token(i, Kind::NONE);
        builder.token(i, Kind(2));
    }
    builder.finish()
}

fn check_deep(tree: &PhraseTree, expected: [&str; 5]) {
    let mut kinds = kinds();
    let names = vec![Kind(8); tree.n_tokens()];
    let rules = rules(&[(tree.clone(), names.clone())], &mut kinds);
    for (rule, expected) in rules.into_iter().filter(|rule| !matches!(rule, HeadRule::Table(_))).zip(expected)
    {
        let shown = format!("{rule:?}");
        let mut encoder = encoder(rule);
        let encoded = encoder.encode(tree, &names, &kinds);
        let labels = encoder.label_symbols();
        let some: Vec<&str> = labels.iter().take(5).map(|(_, text)| text).collect();
        assert_eq!(format!("{} {}", labels.len(), some.join(" ")), expected, "{shown}");
        let decoded =
            Decoder::new(Kind(0)).decode(&encoded, |label| encoder.label_symbols().text(label), &mut kinds);
        assert!(decoded == *tree, "{shown}");
    }
}

#[test]
fn a_hundred_thousand_nested_parentheses() {
    let first = "3 b|a b@0 *@0";
    check_deep(&nested(100_000), [first, "3 *@0 b@0 b|a", first, first, first]);
}

#[test]
fn twenty_thousand_operators() {
    let left = "40001 b*20000|a *@0 ~if_statement@0 *@1 ~if_statement@1";
    let right = "3 *@0 ~if_statement|b@0 ~if_statement|b|a";
    // The operator is the head of each operation.
    let term = "4 b@0 *@0 ~if_statement@0 b|a";
    check_deep(&operators(20_000), [left, right, term, term, term]);
}

/// Reads trees in brackets; a word in brackets of its own has a tag.
fn read(text: &str, kinds: &mut Kinds) -> Vec<(PhraseTree, Vec<Kind>)> {
    let mut reader = BracketReader::new(text.as_bytes(), "trees", BracketOptions::default());
    let mut trees = Vec::new();
    while let Some(tree) = reader.next(kinds).unwrap() {
        trees.push((tree.tree, tree.tags));
    }
    trees
}

/// The paper's example (2), `while (count > 0) { stack[--count]=null; }`, after figure 2. More trees of the kind are needed to
/// count names as FREQ does.
const PAPER: &str = "
(While (while while) (-LRB- -LRB-) (GreaterThan (FieldReference (Identifier count)) (> >) (IntLiteral (Number 0)))
  (-RRB- -RRB-) (StatementBlock ({ {) (CopyAssignment (ArrayReference (FieldReference (Identifier stack)) ([ [)
    (PreDecrement (-- --) (FieldReference (Identifier count))) (] ])) (= =) (NullLiteral (null null))) (; ;) (} })))
(GreaterThan (MethodReference (Identifier f)) (> >) (NullLiteral (null null)))
(CopyAssignment (FieldReference (Identifier a)) (= =) (IntLiteral (Number 1)))
(StatementBlock ({ {) (; ;) (; ;) (; ;) (} }))";

fn arcs(rule: HeadRule, labels: Labels, tree: &(PhraseTree, Vec<Kind>), kinds: &Kinds) -> String {
    let mut encoder = Encoder::new(rule, labels);
    let encoded = encoder.encode(&tree.0, &tree.1, kinds);
    let label = |token| encoder.label_symbols().text(encoded.label(token));
    let shown = encoded.tokens().map(|token| format!("{}:{}", encoded.head(token), label(token)));
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn example_2_of_the_paper() {
    let mut kinds = Kinds::new();
    let trees = read(PAPER, &mut kinds);
    // Under LEFT the expression `count > 0` has the label of its operator, and all arcs go to the right (figure 4, upper).
    assert_eq!(
        arcs(HeadRule::Left, Labels::NonConvertible, &trees[0], &kinds),
        "0:While 1:* 1:GreaterThan 3:* 3:IntLiteral 1:* 1:StatementBlock 7:CopyAssignment 8:* 8:PreDecrement \
         10:FieldReference 8:* 8:* 8:NullLiteral 7:* 7:*"
    );
    assert_eq!(
        arcs(HeadRule::Left, Labels::Convertible, &trees[0], &kinds),
        "0:While 1:*@0 1:FieldReference|GreaterThan@0 3:*@1 3:IntLiteral@1 1:*@0 1:StatementBlock@0 \
         7:FieldReference|ArrayReference|CopyAssignment@0 8:*@1 8:PreDecrement@1 10:FieldReference@0 8:*@1 8:*@2 \
         8:NullLiteral@2 7:*@0 7:*@0"
    );
    // Under FREQ `while`, `>` and `=` are the heads of their constructions (figure 4, lower), and `;` is never a head.
    let lower = "0:While 1:* 4:FieldReference 1:GreaterThan 4:IntLiteral 1:* 1:StatementBlock 13:ArrayReference \
                 8:* 8:PreDecrement 10:FieldReference 8:* 7:CopyAssignment 13:NullLiteral 7:* 7:*";
    let rules = rules(&trees, &mut kinds);
    for rule in rules.into_iter().filter(|rule| matches!(rule, HeadRule::Frequent(_))) {
        assert_eq!(arcs(rule, Labels::NonConvertible, &trees[0], &kinds), lower);
    }
}

#[test]
fn counting_occurrences_and_counting_parents_differ() {
    // A block's commonest child is a statement, but every block has braces.
    let mut kinds = Kinds::new();
    let trees =
        read("(B ({ {) (S (x a)) (S (x b)) (} })) (B ({ {) (S (x a)) (} })) (B ({ {) (} }))", &mut kinds);
    let [.., occurrences, parents] = <[HeadRule; 6]>::try_from(rules(&trees, &mut kinds)).expect("six rules");
    assert_eq!(arcs(occurrences, Labels::NonConvertible, &trees[0], &kinds), "0:B 1:S 1:S 1:*");
    let trees = [trees, read("(B ({ {) (S (x a)) (S (x b)) (S (x c)) (S (x d)) (} }))", &mut kinds)].concat();
    let [.., occurrences, _] = <[HeadRule; 6]>::try_from(rules(&trees, &mut kinds)).expect("six rules");
    assert_eq!(arcs(occurrences, Labels::NonConvertible, &trees[0], &kinds), "2:* 0:B 2:S 2:*");
    assert_eq!(arcs(parents, Labels::NonConvertible, &trees[0], &kinds), "0:B 1:S 1:S 1:*");
}

#[test]
fn head_tables() {
    let mut kinds = Kinds::new();
    let trees = read("(S (NP-SBJ (DT the) (NN fish) (NN market)) (VP (VBZ is) (X a b)) (. .))", &mut kinds);
    let check = |rules: &str, expected: &str| {
        let rule = HeadRule::Table(HeadTable::parse(rules, "rules").unwrap());
        assert_eq!(arcs(rule, Labels::NonConvertible, &trees[0], &kinds), expected);
    };
    check("S left VP\nNP right NN\n* left", "3:* 3:* 4:NP-SBJ 0:S 4:X 5:* 4:*");
    // Each name is searched for before the next one is, in the direction of its line.
    check("S left . VP\nNP left NN\nNP right DT\n* right", "2:* 7:NP-SBJ 2:* 6:* 6:* 7:VP 0:S");
    check("", "0:S 1:* 1:* 1:VP 4:X 5:* 1:*");
}
