//! Sentences and configurations for tests.

#![allow(dead_code, reason = "no test uses all of it")]

use std::sync::Arc;

use quaich_features::{Focus, Template};
use quaich_testkit::random::Random;
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::systems::{Options, SYSTEMS, System};
use quaich_transition::transition::{Kind, Transition};
use quaich_treebank::formats::conllu;
use quaich_treebank::{Label, Node, Sentence};

/// Returns a sentence from rows of form, lemma, coarse tag, fine tag and features.
pub(crate) fn sentence(rows: &[String]) -> Sentence {
    let row = |(number, row): (usize, &String)| {
        format!("{number}\t{}\t0\troot\t_\tSpaceAfter=No|Gloss=x\n", row.replace(' ', "\t"))
    };
    let text: String = (1..).zip(rows).map(row).collect();
    let layout = Arc::new(conllu::layout());
    let mut sentence = Sentence::empty(Arc::clone(&layout));
    let mut problems = Vec::new();
    sentence.read_block(&layout, text.as_bytes(), 1, &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    sentence
}

/// Returns a sentence whose cells have few different values, so that many are equal.
pub(crate) fn random_sentence(random: &mut Random, n_tokens: usize) -> Sentence {
    const FORMS: [&str; 7] = ["a", "Straße", "größer", "語", "_", "a~a", "a~a~a"];
    const TAGS: [&str; 4] = ["NOUN", "VERB", "_", "X"];
    const FINE: [&str; 5] = ["N-s--ö", "V3spia", "_", "N", "-"];
    const FEATS: [&str; 9] = [
        "_",
        "Case=Nom|Number=Sing",
        "Case=Gen|Number=Sing",
        "Case=Nom",
        "Mood=Ind|Number=Plur|Tense=Past|VerbForm=Fin",
        "ABS|MG",
        "ABS|Case=Nom|Case=Acc|ABS",
        "Case=Acc|MG",
        "Number=Plur|Case=Nom",
    ];
    let mut row = |_| {
        let mut cell = |texts: &[&'static str]| *random.pick(texts);
        [cell(&FORMS), cell(&FORMS), cell(&TAGS), cell(&FINE), cell(&FEATS)].join(" ")
    };
    sentence(&(0..n_tokens).map(&mut row).collect::<Vec<String>>())
}

/// Returns all systems of the table, with all their positions of node 0.
pub(crate) fn systems() -> Vec<Box<dyn System>> {
    let mut systems = Vec::new();
    for entry in SYSTEMS {
        for root in [RootPosition::Stack, RootPosition::End, RootPosition::None] {
            systems.push((entry.build)(Options { root, ..Options::default() }));
        }
    }
    systems
}

/// Visits the configurations of a random derivation of a sentence, each with an arc that could be built in it.
pub(crate) fn walk(
    system: &dyn System,
    n_tokens: usize,
    random: &mut Random,
    mut visit: impl FnMut(&Configuration, Focus),
) {
    let mut c = Configuration::new();
    system.start(&mut c, n_tokens);
    while !system.is_terminal(&c) {
        let permissible: Vec<Kind> = system.permissible(&c).iter().collect();
        let arc = permissible.iter().find_map(|&kind| system.arc(&c, kind));
        let (head, dependent) = arc.unwrap_or((Node::NONE, Node::ROOT));
        visit(&c, Focus { head, dependent });
        let transition = system.forced(&c).unwrap_or_else(|| {
            let kind = *random.pick(&permissible);
            let label = if kind.adds_arc() { Label(random.below(70)) } else { Label::NONE };
            Transition { kind, label }
        });
        system.apply(&mut c, transition);
    }
}

/// Returns templates with all kinds of values and addresses, alone and combined.
pub(crate) fn templates() -> Vec<Template> {
    const TEMPLATES: &[&str] = &[
        "s0:w",
        "b0:l",
        "i0:p",
        "h:t",
        "d:f",
        "s0:w[-3:]",
        "b0:w[:2]",
        "b0:t[1:3]",
        "s0:f.Case",
        "b0:t.1",
        "s0:XPOS",
        "s0:MISC.Gloss",
        "s0:DEPS",
        "s0:NOWHERE",
        "s0:p&f.Case&t[:1]",
        "s0.l:d",
        "s0.r2:d",
        "s0:d b0:d",
        "s0.h:w",
        "s0.a:w",
        "s0.l3:w",
        "b0.r3:d",
        "s0.ls:w",
        "s0.rs:w",
        "s0.ld:w",
        "s0.rd:w",
        "h+1:w",
        "d-1:w",
        "s0:nl",
        "s0:nr",
        "s0:nv",
        "s0:sl",
        "b0:sr",
        "dist(s0,b0)",
        "dist(h,d)",
        "history:0",
        "history:1",
        "agree(s0,b0,f.Case)",
        "agree(s0,b0,w)",
        "agree(h,d,t[:1])",
        "s0:w b0:w",
        "s0:p b0:p dist(s0,b0)",
        "s0:p s0.l:d b0:p s0:sl",
        "s0:p b0:p b1:p s1:p history:0",
        "s0:w s0:p b0:p&f.Case b1:p b2:p s1:p s2:p history:0 dist(s0,b0)",
        "s0:f*",
        "b0:t*",
        "h:MISC*",
        "s0:f* b0:p",
        "s0:p s0:f* b0:f* s0.l:d",
        "agree(s0,b0,f*)",
        "agree(h,d,t*) h:p d:p",
        "agree(s0,b0,f*) s0:f* b0:p b0:w s1:p history:0",
        "k0:w",
        "u0:w",
        "lc0:w",
        "rc1:w",
        "s0.pa:w",
        "s0.t.ld:w",
        "s0.pld:w",
        "s0.t.prd:w",
        "s0:pos",
        "s0:f{\\|}",
        "b0:f{\\||=} s0:p",
        "agree(s0,b0,f{\\|})",
        "exists(s1)",
        "arc(s0,b0)",
        "arc(s0,s0.l)",
        "link(s0,b0)",
        "link(s0,s0.l)",
        "s0.uls:w",
        "b0.urs:w",
        "dist(s0,b0,0|1|3)",
        "ldeps(s0,0|1|2)",
        "rdeps(s0,1)",
        "deps(b0,0|2) s0:p",
        "one(s0:w)",
        "rootnode(s0:pos)",
        "novalue(s0:d)",
        "none(s0.l:d)",
        "novalue(s0:f.Case)",
        "one(s0:w,b0:w)",
        "rootnode(s0:w,b0:d)",
        "novalue((s1:w,s0:f.Case),b0:w[-2:])",
        "none(s0:d,b0:d,s0.l:d)",
        "one(arc(s0,s0.l),dist(s0,b0,0|2),deps(s0,1|2))",
        "one(exists(s0))",
        "one(exists(s0.l),(exists(b0),exists(s1)))",
        "one(s0:f{\\|})",
        "novalue(b0.l:f{\\|})",
        "none(s0:f{\\|}) b0:p",
        "rootnode(s0:w,b0:w) s0:p dist(s0,b0)",
    ];
    TEMPLATES.iter().map(|text| Template::parse(text).unwrap()).collect()
}
