//! Agreement with `MaltParser` 1.9.2: its oracle's transitions on 400 random trees, 20 settings, line by line; and the
//! sequences it printed for two sentences.

mod common;

use std::fs;

use common::{malt_trees, malt_vectors};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::guide::{RandomGuide, run};
use quaich_transition::malt::{ALGORITHMS, Algorithm, MaltSystemOptions};
use quaich_transition::oracle::derive;
use quaich_transition::transition::Kind;
use quaich_transition::watcher::{Recorder, Step};
use quaich_treebank::symbols::{Label, Symbols};
use quaich_treebank::tree::Tree;

fn print(step: &Step, labels: &Symbols<Label>) -> String {
    let kind = if step.transition.kind == Kind::Switch { "SW" } else { step.transition.kind.name() };
    let label = step.transition.label;
    let text = if label.is_none() { kind.to_owned() } else { format!("{kind}:{}", labels.text(label)) };
    if step.forced { format!("({text})") } else { text }
}

/// Returns the flags in a file name: `oracle.nivreeager.nr-false.ne-true.txt`.
fn flags(name: &str) -> String {
    let mut parts = name.trim_start_matches("oracle.").trim_end_matches(".txt").split('.');
    let algorithm = parts.next().unwrap();
    let options: Vec<String> = parts.map(|part| format!("-{}", part.replacen('-', " ", 1))).collect();
    format!("-a {algorithm} {}", options.join(" "))
}

#[test]
fn every_vector_agrees_line_by_line() {
    let mut labels = Symbols::new();
    let trees = malt_trees(&mut labels);
    assert_eq!(trees.len(), 400);
    let mut names: Vec<String> = fs::read_dir(malt_vectors())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("oracle."))
        .collect();
    names.sort();
    assert_eq!(names.len(), 20);
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    let mut wrong = Vec::new();
    for name in names {
        let system = MaltSystemOptions::parse(&flags(&name)).unwrap().build(Label::NONE);
        let expected = fs::read_to_string(malt_vectors().join(&name)).unwrap();
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(expected.len(), trees.len(), "{name}");
        for (number, (tree, line)) in trees.iter().zip(expected).enumerate() {
            let derivation = derive(&*system, tree, &mut gold, &mut c);
            let found: Vec<String> = derivation.steps.iter().map(|step| print(step, &labels)).collect();
            if found.join(" ") != line {
                wrong.push(format!(
                    "{name}:{} {:?}\n  {line}\n  {}",
                    number + 1,
                    tree.heads(),
                    found.join(" ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines differ:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
}

/// Checks transitions without labels, as in MaltParser's diagnostics.
fn check(flags: &str, heads: &[u32], expected: &str) {
    let system = MaltSystemOptions::parse(flags).unwrap().build(Label::NONE);
    let derivation = derive(&*system, &Tree::from_heads(heads), &mut Gold::new(), &mut Configuration::new());
    let labels = Symbols::new();
    let found: Vec<String> = derivation.steps.iter().map(|step| print(step, &labels)).collect();
    assert_eq!(found.join(" "), expected, "{flags}");
}

#[test]
fn a_projective_sentence() {
    let heads = &[2, 3, 0, 5, 3, 5, 8, 6, 3];
    let stack = "SH SH LA SH LA SH SH LA SH SH SH LA RA RA RA SH RA RA";
    let planar = "SH LA SH LA RE RE RA SH SH LA RE RA SH RA SH SH LA RE RA SH RE RE RE RA SH";
    check("-a nivreeager", heads, "SH LA SH LA RA SH LA RA RA SH LA RA RE RE RE RA");
    check("-a nivreeager -nr false", heads, "(SH) LA (SH) LA (SH) SH LA RA RA SH LA RA RE RE RE RA");
    check("-a nivrestandard", heads, "SH LA SH LA SH SH LA SH SH SH LA RA RA RA SH RA RA");
    check("-a stackproj", heads, stack);
    check("-a stackeager", heads, stack);
    check("-a stacklazy", heads, stack);
    check("-a covproj", heads, "NA LA NA LA RA NA NA LA RA RA NA NA NA NA LA RA NA NA NA RA");
    check("-a covproj -cs true", heads, "SH LA SH LA RA SH LA RA RA SH LA RA NA NA NA RA");
    check(
        "-a covnonproj",
        heads,
        "NA LA NA LA RA NA NA NA NA LA RA RA NA NA NA NA NA NA NA LA RA NA NA NA NA NA RA",
    );
    check("-a planar", heads, planar);
    check("-a 2planar", heads, planar);
}

#[test]
fn a_non_projective_sentence() {
    let heads = &[2, 3, 0, 3, 2, 7, 5, 4, 3];
    check(
        "-a stackeager",
        heads,
        "SH SH LA SH SH SH SW SW SH SH SH SW SW SH SH SH SW SW LA RA RA SH LA SH SH RA RA SH RA RA",
    );
    check("-a stacklazy", heads, "SH SH LA SH SH SH SH SH LA RA SW SW RA SH LA SH SH RA RA SH RA RA");
    check(
        "-a covnonproj",
        heads,
        "NA LA NA LA RA RA NA NA RA NA NA NA NA NA NA LA RA NA NA NA RA NA NA NA NA NA RA",
    );
    check(
        "-a 2planar",
        heads,
        "SH LA SH LA RE RE RA SH RA SH SW RE RE RA SH SH LA RE RA SH SW RE RE RE RA SH RE RE RA SH",
    );
    check(
        "-a 2planar -2pr true",
        heads,
        "SH LA SH LA RE RE RA SH RA SH SW RE RA SH SH LA RE RA SH SW RE RE RA SH RE RE RA SH",
    );
    check("-a planar", heads, "SH LA SH LA RE RE RA SH RA SH RE RE SH SH LA RE RA SH RE RE SH RE SH");
    check("-a nivreeager", heads, "SH LA SH LA RA RA RE RE SH SH LA RA RE SH SH");
}

#[test]
fn any_guide_ends_in_a_tree_within_the_bound() {
    let mut c = Configuration::new();
    let options = [
        "",
        "-nr false",
        "-ne true",
        "-nt true",
        "-nt true -nr false",
        "-nt true -ne true",
        "-cr false",
        "-cs true",
        "-prh relaxed",
        "-pcon reduceonly",
        "-pcon full",
        "-pacy false",
        "-pcov true",
        "-2pr true",
    ];
    for Algorithm { name, .. } in ALGORITHMS {
        for options in options {
            let system = MaltSystemOptions::parse(&format!("-a {name} {options}")).unwrap().build(Label(0));
            let (mut chance, mut recorder) = (RandomGuide::new(3, 2), Recorder::default());
            for n in (0..120).map(|round| round % 12) {
                run(&*system, &mut chance, &mut recorder, n, &mut c);
                assert!(c.tree().is_well_formed(), "{system:?} made {:?}", c.tree().heads());
                let n_steps = recorder.steps.len();
                assert!(n_steps <= system.bound(n), "{system:?}: {n_steps} for {n}");
            }
        }
    }
}
