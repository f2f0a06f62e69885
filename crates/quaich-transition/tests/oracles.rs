//! The transitions that oracles consider correct: on the path to a tree, off it, and where they have none.

mod common;

use common::{POSITIONS, all_trees, is_projective, n_roots, options};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::guide::{RandomGuide, run};
use quaich_transition::oracle::{CorrectTransitions, DynamicOracle, Oracle, StaticOracle, derive};
use quaich_transition::systems::{SYSTEMS, System};
use quaich_transition::transition::{KindSet, Transition};
use quaich_transition::watcher::Watcher;
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

/// Queries an oracle at every choice.
struct Asking<'a> {
    system: &'a dyn System,
    oracle: &'a mut Oracle,
    check: fn(&dyn System, &Oracle, &Configuration, &Asked),
    n_asked: usize,
    n_sets: usize,
}

struct Asked {
    permissible: KindSet,
    chosen: Transition,
    right: CorrectTransitions,
}

impl Watcher for Asking<'_> {
    fn start(&mut self, _c: &Configuration) {
        self.oracle.rewind();
    }

    fn chosen(&mut self, c: &Configuration, permissible: KindSet, chosen: Transition) {
        let right = self.oracle.correct(self.system, c, permissible);
        assert!(right.kinds.contains(right.preferred.kind), "{right:?}");
        assert_eq!(right.kinds.intersection(permissible), right.kinds, "{right:?} of {permissible:?}");
        self.n_asked += 1;
        self.n_sets += usize::from(right.kinds.len() > 1);
        (self.check)(self.system, self.oracle, c, &Asked { permissible, chosen, right });
    }
}

fn each_system(mut check: impl FnMut(&dyn System)) {
    for entry in SYSTEMS {
        for root in POSITIONS {
            for single_root in [false, true] {
                check(&*(entry.build)(options(root, single_root)));
            }
        }
    }
}

fn trees(n: usize, system: &dyn System) -> impl Iterator<Item = Tree> {
    let single_root = system.options().single_root;
    all_trees(n).into_iter().filter(move |tree| !single_root || n_roots(tree) == 1)
}

#[test]
fn a_static_oracle_says_what_is_done() {
    let (mut gold, mut c, mut oracle) = (Gold::new(), Configuration::new(), Oracle::static_only());
    each_system(|system| {
        for tree in trees(4, system) {
            let exact = derive(system, &tree, &mut gold, &mut c).exact;
            oracle.read(system, &tree);
            let check = |system: &dyn System, oracle: &Oracle, c: &Configuration, asked: &Asked| {
                let Asked { chosen, right, .. } = asked;
                assert_eq!((right.preferred, right.kinds), (*chosen, KindSet::of(&[chosen.kind])));
                if right.known {
                    assert_eq!(oracle.transition(system, c, chosen.kind), *chosen, "{system:?}");
                }
            };
            let mut asking = Asking { system, oracle: &mut oracle, check, n_asked: 0, n_sets: 0 };
            let mut guide = StaticOracle::new(system, &tree, &mut gold);
            run(system, &mut guide, &mut asking, 4, &mut c);
            assert!(guide.followed || !exact);
        }
    });
}

/// On the path to a tree, the static oracle makes one of the transitions that the dynamic oracle considers correct,
/// with the same label.
#[test]
fn a_dynamic_oracle_agrees_with_the_static_one() {
    let (mut gold, mut c, mut oracle) = (Gold::new(), Configuration::new(), Oracle::new());
    let mut n_sets = 0;
    each_system(|system| {
        for tree in trees(4, system).filter(is_projective) {
            oracle.read(system, &tree);
            let check = |system: &dyn System, oracle: &Oracle, c: &Configuration, asked: &Asked| {
                assert!(asked.right.kinds.contains(asked.chosen.kind), "{system:?} {:?}", asked.right);
                assert_eq!(oracle.transition(system, c, asked.chosen.kind), asked.chosen, "{system:?}");
            };
            let mut asking = Asking { system, oracle: &mut oracle, check, n_asked: 0, n_sets: 0 };
            run(system, &mut StaticOracle::new(system, &tree, &mut gold), &mut asking, 4, &mut c);
            assert!(asking.n_asked > 0);
            n_sets += asking.n_sets;
        }
    });
    assert!(n_sets > 0, "nowhere was more than one transition right");
}

/// Off the path some transition is always correct, and labels are those of gold arcs.
#[test]
fn a_dynamic_oracle_knows_what_is_right_anywhere() {
    let (mut c, mut oracle, mut chance) = (Configuration::new(), Oracle::new(), RandomGuide::new(19, 5));
    each_system(|system| {
        if !system.has_dynamic_oracle() {
            return;
        }
        for tree in trees(4, system).filter(is_projective) {
            oracle.read(system, &tree);
            let check = |system: &dyn System, oracle: &Oracle, c: &Configuration, asked: &Asked| {
                assert!(asked.right.known, "{system:?} of {:?}", asked.permissible);
                assert_eq!(oracle.transition(system, c, asked.right.preferred.kind), asked.right.preferred);
                for kind in asked.permissible.iter() {
                    let Some((head, dependent)) = system.arc(c, kind) else { continue };
                    let label = oracle.transition(system, c, kind).label;
                    let is_gold = oracle.gold().has_arc(head, dependent);
                    assert!(if is_gold { label.0 == dependent.0 } else { label.is_none() });
                }
            };
            let mut asking = Asking { system, oracle: &mut oracle, check, n_asked: 0, n_sets: 0 };
            run(system, &mut chance, &mut asking, 4, &mut c);
        }
    });
}

/// Trees outside the class, several roots despite a single root, unknown heads: the result still is a tree.
#[test]
fn following_an_oracle_gives_a_tree() {
    let (mut gold, mut c, mut chance) = (Gold::new(), Configuration::new(), RandomGuide::new(23, 1));
    let mut trees = all_trees(4);
    for tree in &mut trees {
        if chance.below(3) == 0 {
            tree.set(Node(1 + chance.below(4)), Node::NONE, Label(0));
        }
    }
    each_system(|system| {
        for tree in &trees {
            run(system, &mut StaticOracle::new(system, tree, &mut gold), &mut (), 4, &mut c);
            assert!(c.tree().is_well_formed(), "{system:?} made {:?}", c.tree().heads());
            if system.has_dynamic_oracle() {
                run(system, &mut DynamicOracle::new(system, tree, &mut gold), &mut (), 4, &mut c);
                assert!(c.tree().is_well_formed(), "{system:?} made {:?}", c.tree().heads());
            }
        }
    });
}
