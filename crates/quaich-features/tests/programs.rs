//! Lists of templates as programs.

mod support;

use quaich_features::{
    FeatureModel, Focus, Order, Program, Scratch, SymbolicProgram, Template, TokenValues, Tokens,
};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_treebank::{Label, Node};

use support::sentence;

fn parse(texts: &[&str]) -> Vec<Template> {
    texts.iter().map(|text| Template::parse(text).unwrap()).collect()
}

/// Returns the hashes of templates if 1 is on the stack, with the head 2, which is next.
fn hashes(templates: &[Template]) -> Vec<u64> {
    let rows = ["Hund Hund NOUN NN Case=Nom|Number=Sing", "sah sehen VERB VV Number=Sing|Tense=Past"];
    let mut values = TokenValues::default();
    let program = Program::compile(templates, &mut values);
    let mut tokens = Tokens::default();
    tokens.read(&sentence(&rows.map(str::to_owned)), &values, Order::LeftToRight);
    let mut c = Configuration::new();
    c.reset(2, RootPosition::Stack);
    let first = c.advance();
    c.push(first);
    c.attach(Node(2), Label(3), Node(1));
    let mut scratch = Scratch::default();
    program.run(&c, &tokens, Focus { head: Node(2), dependent: Node(1) }, &mut scratch);
    scratch.hashes
}

#[test]
fn templates_with_sets_come_last_and_short_ones_first() {
    let templates = parse(&[
        "s0:f*",
        "s0:p b0:p b1:p s1:p b2:p",
        "s0:w b0:w",
        "s0:w",
        "s0:p b0:p b1:p s1:p b2:p b3:p",
        "b0:w",
        "agree(s0,b0,f.Case)",
        "s0:p b0:p b1:p s1:p b3:p",
    ]);
    let ordered: Vec<String> = Program::order(&templates).iter().map(ToString::to_string).collect();
    assert_eq!(
        ordered,
        [
            "s0:w",
            "b0:w",
            "agree(s0,b0,f.Case)",
            "s0:w b0:w",
            "s0:p b0:p b1:p s1:p b2:p",
            "s0:p b0:p b1:p s1:p b2:p b3:p",
            "s0:p b0:p b1:p s1:p b3:p",
            "s0:f*",
        ]
    );
    let program = Program::compile(&templates, &mut TokenValues::default());
    assert_eq!((program.n_templates(), program.n_plain(), program.max_hashes()), (8, 7, None));
    let plain = Program::compile(&templates[1..], &mut TokenValues::default());
    assert_eq!((plain.n_templates(), plain.max_hashes()), (7, Some(7)));
    // One per template, and the two features of the top of the stack.
    assert_eq!(hashes(&templates).len(), 9);
    assert_eq!(hashes(&templates)[..7], hashes(&templates[1..]));
}

#[test]
fn a_hash_depends_on_its_template_alone() {
    let templates =
        parse(&["s0:w", "s0:p b0:p", "s0:p&f.Case", "s0:w b0:w s0:d dist(s0,b0) s0:p", "s0:p b0:f*"]);
    let all = hashes(&Program::order(&templates));
    let one_by_one: Vec<u64> = Program::order(&templates).chunks(1).flat_map(hashes).collect();
    assert_eq!(all, one_by_one);
}

#[test]
fn names_left_to_the_treebank_are_left_out() {
    let model = FeatureModel::default_model();
    let known = model.without(|_| false);
    assert!(known.transition.len() < model.transition.len());
    let mut values = TokenValues::default();
    assert_eq!(Program::compile(&model.transition, &mut values).n_templates(), known.transition.len());
    assert_eq!(Program::order(&model.label).len(), known.label.len());
    assert_eq!(SymbolicProgram::compile(&model.label).templates(), known.label);
    assert_eq!(hashes(&model.transition), hashes(&known.transition));
}

#[test]
fn programs_share_a_list() {
    let mut values = TokenValues::default();
    let first = parse(&["s0:w", "s0:p b0:p"]);
    let second = parse(&["h:w", "h:l d:p", "h:p&f.Case"]);
    Program::compile(&first, &mut values);
    assert_eq!(values.len(), 2);
    Program::compile(&second, &mut values);
    assert_eq!(values.len(), 4);
    let before = values.clone();
    Program::compile(&first, &mut values);
    assert_eq!(values, before);
}

#[test]
fn hashes_are_fixed() {
    // They are part of the model file format: models trained with other hashes would be invalid.
    let templates = parse(&[
        "s0:w",
        "s0:f.Case",
        "s0:p&f.Case",
        "s0:p b0:w[-2:]",
        "s0:d dist(s0,b0) history:0",
        "b0:nl b0:nv b0:sl s0:w b0:w s0:p",
        "agree(s0,b0,f.Number)",
        "agree(s0,b0,f*) s0:p",
        "s0:f*",
    ]);
    let expected = [
        0x81bb_9a24_ee0d_c96c,
        0x0884_3a47_3051_4e28,
        0xeb8b_8ecc_80db_840e,
        0xf3d5_4d4b_6736_8357,
        0x7c67_88cc_90cf_962b,
        0x88e3_850b_731d_a4bf,
        0xa5c9_9f89_c325_7f29,
        0x646c_f015_a6de_b0d7,
        0x6261_a1d7_7aae_75f3,
        0xa016_19d5_8fc2_f14f,
    ];
    assert_eq!(hashes(&templates), expected);
}
