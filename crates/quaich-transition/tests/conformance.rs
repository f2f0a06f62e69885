//! All systems of the table × all properties: oracle and tree, soundness, bounds.

mod common;

use common::{POSITIONS, all_trees, cross, is_planar, is_projective, is_two_planar, n_roots, options, spans};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::guide::{Guide, RandomGuide, run};
use quaich_transition::oracle::derive;
use quaich_transition::systems::{SYSTEMS, System, TwoPlanar};
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_transition::watcher::Recorder;
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

/// Whether a tree is in the class of a system, by slow definitions.
fn in_class(name: &str, root: RootPosition, tree: &Tree) -> Option<bool> {
    Some(match name {
        "arc-eager" | "arc-standard" | "arc-hybrid" | "stack-projective" | "covington-projective" => {
            is_projective(tree)
        }
        "arc-hybrid-swap" | "swap-eager" | "swap-lazy" | "covington" | "undirected-covington" => true,
        "planar" | "undirected-planar" => is_planar(tree, root),
        "two-planar" | "undirected-two-planar" => is_two_planar(tree, root),
        "attardi" if is_projective(tree) => true,
        "attardi" => return None,
        other => panic!("say which trees {other} derives"),
    })
}

fn each_system(mut check: impl FnMut(&str, &dyn System)) {
    for entry in SYSTEMS {
        for root in POSITIONS {
            for single_root in [false, true] {
                check(entry.name, &*(entry.build)(options(root, single_root)));
            }
        }
    }
}

#[test]
fn oracles_rebuild_the_trees_of_the_class_and_report_the_others() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for n in 0..=6 {
        let trees = all_trees(n);
        each_system(|name, system| {
            for tree in &trees {
                let several = system.options().single_root && n_roots(tree) > 1;
                let derivation = derive(system, tree, &mut gold, &mut c);
                assert!(c.tree().is_well_formed());
                if derivation.exact {
                    let implicit =
                        |t: Node| tree.head(t).is_root() && system.options().root == RootPosition::None;
                    assert!(tree.tokens().all(|t| c.label(t) == tree.label(t) || implicit(t)));
                }
                if let Some(expected) = in_class(name, system.options().root, tree) {
                    let expected = expected && !several;
                    assert_eq!(derivation.exact, expected, "{system:?} on {:?}", tree.heads());
                }
            }
        });
    }
}

/// Returns the exact number of transitions if the papers state one, k of them being SWAP.
fn exact_count(name: &str, root: RootPosition, n: usize, k: usize) -> Option<usize> {
    let at_end = usize::from(root == RootPosition::End && n > 0);
    match name {
        "arc-eager" => (root == RootPosition::End).then_some(2 * n),
        "arc-hybrid" | "arc-hybrid-swap" => Some(2 * n + 2 * k),
        "stack-projective" | "swap-eager" | "swap-lazy" => Some(2 * n + 2 * k + at_end),
        _ => None,
    }
}

#[test]
fn transition_counts_equal_the_bounds() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for n in 0..=5 {
        let trees = all_trees(n);
        each_system(|name, system| {
            for tree in &trees {
                let derivation = derive(system, tree, &mut gold, &mut c);
                let n_steps = derivation.steps.len();
                assert!(n_steps <= system.bound(n));
                let k = derivation.steps.iter().filter(|step| step.transition.kind == Kind::Swap).count();
                if let Some(expected) = exact_count(name, system.options().root, n, k) {
                    assert_eq!(n_steps, expected, "{system:?} on {:?}", tree.heads());
                }
            }
        });
    }
}

/// For a tree that is not 2-planar, the oracle builds as many arcs as two planes can have.
#[test]
fn two_planar_loses_the_fewest_arcs() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    let mut n_lossy = 0;
    for n in 5..=6 {
        for tree in all_trees(n) {
            for root in POSITIONS {
                if is_two_planar(&tree, root) {
                    continue;
                }
                let spans = spans(&tree, root);
                // Each arc in one of two planes or in neither.
                let most = (0..3usize.pow(u32::try_from(spans.len()).unwrap()))
                    .filter_map(|mut share| {
                        let planes: Vec<usize> = spans.iter().map(|_| (share % 3, share /= 3).0).collect();
                        let clash = |a: usize, b: usize| {
                            planes[a] < 2 && planes[a] == planes[b] && cross(spans[a], spans[b])
                        };
                        let fits = (0..spans.len()).all(|a| (0..a).all(|b| !clash(a, b)));
                        fits.then(|| planes.iter().filter(|plane| **plane < 2).count())
                    })
                    .max();
                let system = TwoPlanar::new(options(root, false));
                let derivation = derive(&system, &tree, &mut gold, &mut c);
                let n_built = derivation.steps.iter().filter(|step| step.transition.kind.adds_arc()).count();
                assert_eq!(Some(n_built), most, "{root:?} {:?}", tree.heads());
                n_lossy += 1;
            }
        }
    }
    assert!(n_lossy > 0);
}

/// The worst case of SWAP: n(n - 1)/2 of them, and so n + n² transitions.
#[test]
fn swap_reaches_its_bound() {
    for name in ["swap-eager", "arc-hybrid-swap"] {
        let entry = SYSTEMS.iter().find(|entry| entry.name == name).unwrap();
        let system = (entry.build)(options(RootPosition::Stack, false));
        let mut c = Configuration::new();
        for n in [2, 3, 5, 8] {
            let mut guide = Swapper;
            run(&*system, &mut guide, &mut (), n, &mut c);
            assert_eq!(c.n_transitions(), system.bound(n));
            assert_eq!(system.bound(n), n + n * n);
        }
    }
}

/// Swaps whenever possible, shifts otherwise, and adds arcs if nothing else is left.
struct Swapper;

impl Guide for Swapper {
    fn choose(&mut self, _c: &Configuration, permissible: KindSet) -> Transition {
        let order = [Kind::Swap, Kind::Shift, Kind::RightArc, Kind::LeftArc];
        let kind = order.into_iter().find(|kind| permissible.contains(*kind)).unwrap();
        Transition { kind, label: if kind.adds_arc() { Label(0) } else { Label::NONE } }
    }
}

#[test]
fn any_guide_ends_in_a_tree_within_the_bound() {
    let mut c = Configuration::new();
    each_system(|name, system| {
        let (mut chance, mut recorder) = (RandomGuide::new(7, 3), Recorder::default());
        for round in 0..300 {
            let n = if round < 290 { round % 15 } else { 60 };
            run(system, &mut chance, &mut recorder, n, &mut c);
            let tree = c.tree();
            assert!(tree.is_well_formed(), "{name} made {:?}", tree.heads());
            assert!(recorder.steps.len() <= system.bound(n), "{name} took {} for {n}", recorder.steps.len());
            if system.options().single_root && n > 0 {
                assert_eq!(n_roots(&tree), 1, "{system:?} made {:?}", tree.heads());
            }
        }
    });
}
