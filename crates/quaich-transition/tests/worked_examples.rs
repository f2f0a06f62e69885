//! The oracle of every system on the papers' sentences, transition by transition.

use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::oracle::derive;
use quaich_transition::spec::SystemSpec;
use quaich_transition::systems::Options;
use quaich_treebank::tree::Tree;

/// Checks transitions without labels, or `!` if the tree is not derived.
fn check(system: &str, root: RootPosition, heads: &[u32], expected: &str) {
    let spec: SystemSpec = system.parse().unwrap();
    let system = spec.build(Options { root, ..Options::default() });
    let derivation = derive(&*system, &Tree::from_heads(heads), &mut Gold::new(), &mut Configuration::new());
    let names: Vec<&str> = derivation.steps.iter().map(|step| step.transition.kind.name()).collect();
    let found = if derivation.exact { names.join(" ") } else { "!".to_owned() };
    assert_eq!(found, expected, "{spec} {root:?}");
}

/// Economic news had little effect on financial markets . (2003 and after)
const NEWS: &[u32] = &[2, 3, 0, 5, 3, 5, 8, 6, 3];
/// A hearing is scheduled on the issue today . (2009)
const HEARING: &[u32] = &[2, 3, 0, 3, 2, 7, 5, 4, 3];

const STACK: RootPosition = RootPosition::Stack;
const END: RootPosition = RootPosition::End;
const NONE: RootPosition = RootPosition::None;

#[test]
fn arc_eager() {
    check("arc-eager", STACK, NEWS, "SH LA SH LA RA SH LA RA RA SH LA RA RE RE RE RA");
    check("arc-eager", END, NEWS, "SH LA SH LA SH SH LA RA RA SH LA RA RE RE RE RA RE LA");
    check("arc-eager", NONE, NEWS, "SH LA SH LA SH SH LA RA RA SH LA RA RE RE RE RA");
    check("arc-eager", STACK, HEARING, "!");
    check("rtl:arc-eager", STACK, &[0, 1, 2], "RA RA RA");
    check("arc-eager+lba", STACK, NEWS, "LBA LBA RA LBA RA RA LBA RA RE RE RE RA");
}

#[test]
fn arc_standard_and_similar_systems() {
    check("arc-standard", STACK, NEWS, "SH LA SH LA SH SH LA SH SH SH LA RA RA RA SH RA RA");
    check("arc-standard", END, NEWS, "SH LA SH LA SH SH LA SH SH SH LA RA RA RA SH RA SH LA");
    check("arc-standard", NONE, NEWS, "SH LA SH LA SH SH LA SH SH SH LA RA RA RA SH RA SH");
    check("stack-projective", STACK, NEWS, "SH SH LA SH LA SH SH LA SH SH SH LA RA RA RA SH RA RA");
    check("stack-projective", END, NEWS, "SH SH LA SH LA SH SH LA SH SH SH LA RA RA RA SH RA SH LA");
    check("arc-hybrid", STACK, NEWS, "SH LA SH LA SH SH LA SH SH SH LA SH RA RA RA SH RA RA");
    check("arc-hybrid", END, NEWS, "SH LA SH LA SH SH LA SH SH SH LA SH RA RA RA SH RA LA");
    check("stack-projective", STACK, HEARING, "!");
}

#[test]
fn arc_hybrid_with_swap() {
    let expected =
        "SH LA SH SH SH SW SW SH SH SH SW SW SH SH SH SW SW LA SH RA RA LA SH SH SH RA RA SH RA LA";
    check("arc-hybrid-swap", END, HEARING, expected);
}

#[test]
fn attardi_reaches_over_one_node() {
    check("attardi", STACK, NEWS, "SH SH LA SH LA SH SH LA SH SH SH LA RA RA RA SH RA RA");
    check("attardi", STACK, HEARING, "SH SH LA SH SH SH SH SH LA RA SH RA2 RA SH RA2 SH LA SH RA RA");
}

#[test]
fn planar_family() {
    let news = "SH LA SH LA RE RE RA SH SH LA RE RA SH RA SH SH LA RE RA SH RE RE RE RA SH";
    check("planar", STACK, NEWS, news);
    check("two-planar", STACK, NEWS, news);
    check("undirected-planar", STACK, NEWS, &news.replace("LA", "ARC").replace("RA", "ARC"));
    check("planar", STACK, HEARING, "!");
    check("planar", NONE, &[3, 0, 0], "SH SH RE LA SH");
    check("planar", STACK, &[3, 0, 0], "!");
    let hearing =
        "SH LA SH LA RE RE RA SH RA SH SWITCH RE RE RA SH SH LA RE RA SH SWITCH RE RE RE RA SH RE RE RA SH";
    check("two-planar", STACK, HEARING, hearing);
    check("undirected-two-planar", STACK, HEARING, &hearing.replace("LA", "ARC").replace("RA", "ARC"));
}

#[test]
fn covington() {
    let hearing = "SH LA SH LA NA RA SH RA SH NA NA RA SH SH LA RA SH NA NA NA RA SH NA NA NA NA NA RA SH";
    check("covington", STACK, HEARING, hearing);
    check("undirected-covington", STACK, HEARING, &hearing.replace("LA", "ARC").replace("RA", "ARC"));
    check("covington-projective", STACK, NEWS, "SH LA SH LA RA SH LA RA RA SH LA RA NA NA NA RA");
    check("covington-projective", STACK, HEARING, "!");
}
