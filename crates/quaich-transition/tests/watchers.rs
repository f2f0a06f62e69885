//! Watchers see all transitions and nothing else, with any guide.

mod common;

use common::{POSITIONS, all_trees, malt_trees, options};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::guide::{Guide, RandomGuide, ReplayGuide, run};
use quaich_transition::malt::{ALGORITHMS, Algorithm};
use quaich_transition::oracle::{StaticOracle, derive};
use quaich_transition::spec::SystemSpec;
use quaich_transition::systems::{Options, SYSTEMS, System};
use quaich_transition::transition::{KINDS, Kind, KindSet, Transition};
use quaich_transition::watcher::{Recorder, Step, Watcher};
use quaich_treebank::symbols::{Label, Symbols};

/// Records what a trainer records: choices as they were made, the rest as it happened.
#[derive(Default)]
struct Learner {
    seen: Vec<Step>,
    last_choice: Option<Transition>,
    n_outside: usize,
}

impl Watcher for Learner {
    fn start(&mut self, _c: &Configuration) {
        *self = Self::default();
    }

    fn chosen(&mut self, _c: &Configuration, permissible: KindSet, transition: Transition) {
        assert_eq!(self.last_choice.replace(transition), None, "two choices for one transition");
        self.n_outside += usize::from(!permissible.contains(transition.kind));
        self.seen.push(Step { transition, forced: false });
    }

    fn made(&mut self, c: &Configuration, transition: Transition, forced: bool) {
        match self.last_choice.take() {
            Some(choice) => assert_eq!((choice, false), (transition, forced)),
            None => self.seen.push(Step { transition, forced }),
        }
        assert_eq!(self.seen.len(), c.n_transitions() + 1);
    }
}

/// Training like `MaltParser`: the learner gets what its oracle did, permissible or not.
#[test]
fn what_is_learned_of_malt_systems_is_what_their_oracle_does() {
    let trees = malt_trees(&mut Symbols::new());
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for Algorithm { system, .. } in ALGORITHMS {
        let spec: SystemSpec = format!("{system}:malt").parse().unwrap();
        let system = spec.build(Options::default());
        let mut n_outside = 0;
        for tree in &trees {
            let expected = derive(&*system, tree, &mut gold, &mut c).steps;
            let mut learner = Learner::default();
            let mut oracle = StaticOracle::new(&*system, tree, &mut gold);
            run(&*system, &mut oracle, &mut learner, tree.n_tokens(), &mut c);
            assert_eq!(learner.seen, expected, "{spec} on {:?}", tree.heads());
            n_outside += usize::from(learner.n_outside > 0);
        }
        if spec.entry().name == "stack-projective" {
            assert_eq!(n_outside, 159, "trees on which the oracle of {spec} insists");
        }
    }
}

/// Returns transitions of all kinds in any order.
fn garbage(chance: &mut RandomGuide, n: usize) -> Vec<Transition> {
    let transition = |_| Transition { kind: KINDS[chance.below(15) as usize], label: Label(chance.below(3)) };
    (0..n).map(transition).collect()
}

#[test]
fn any_script_ends_in_a_tree_within_the_bound() {
    let (mut c, mut chance) = (Configuration::new(), RandomGuide::new(17, 3));
    let check = |system: &dyn System, c: &mut Configuration, chance: &mut RandomGuide| {
        for n in (0..40).map(|round| round % 10) {
            let transitions = garbage(chance, 3 * n);
            let mut recorder = Recorder::default();
            run(system, &mut ReplayGuide::new(system, &transitions), &mut recorder, n, c);
            assert!(c.tree().is_well_formed(), "{system:?} made {:?}", c.tree().heads());
            assert!(recorder.steps.len() <= system.bound(n), "{system:?}");
        }
    };
    for entry in SYSTEMS {
        for root in POSITIONS {
            for single_root in [false, true] {
                check(&*(entry.build)(options(root, single_root)), &mut c, &mut chance);
            }
        }
    }
    for Algorithm { system, .. } in ALGORITHMS {
        let spec: SystemSpec = format!("{system}:malt").parse().unwrap();
        check(&*spec.build(options(POSITIONS[0], false)), &mut c, &mut chance);
    }
}

#[test]
fn a_script_does_what_was_recorded() {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    for entry in SYSTEMS {
        let system = (entry.build)(options(POSITIONS[1], false));
        for tree in all_trees(4) {
            let steps = derive(&*system, &tree, &mut gold, &mut c).steps;
            let derived = c.tree();
            let transitions: Vec<Transition> = steps.iter().map(|step| step.transition).collect();
            let mut recorder = Recorder::default();
            run(&*system, &mut ReplayGuide::new(&*system, &transitions), &mut recorder, 4, &mut c);
            assert_eq!((recorder.steps, c.tree()), (steps, derived), "{}", entry.name);
        }
    }
}

/// Counts what it observes.
#[derive(Default)]
struct Counter {
    starts: usize,
    choices: usize,
    transitions: usize,
}

impl Watcher for Counter {
    fn start(&mut self, _c: &Configuration) {
        self.starts += 1;
    }
    fn chosen(&mut self, _c: &Configuration, _permissible: KindSet, _transition: Transition) {
        self.choices += 1;
    }
    fn made(&mut self, _c: &Configuration, _transition: Transition, _forced: bool) {
        self.transitions += 1;
    }
}

/// Shifts; used as a guide and through a reference to one.
struct Shifter;

impl Guide for Shifter {
    fn choose(&mut self, _c: &Configuration, _permissible: KindSet) -> Transition {
        Transition::plain(Kind::Shift)
    }
}

#[test]
fn two_watch_as_one_would() {
    // SHIFT is forced while 0 is on top.
    let system = quaich_transition::malt::MaltSystemOptions::parse("-nr false").unwrap().build(Label::NONE);
    let (mut counter, mut recorder) = (Counter::default(), Recorder::default());
    let mut c = Configuration::new();
    for _ in 0..2 {
        let mut guide = &mut Shifter;
        run(&*system, &mut guide, &mut (&mut counter, &mut recorder), 3, &mut c);
    }
    let forced: Vec<bool> = recorder.steps.iter().map(|step| step.forced).collect();
    assert_eq!(forced, [true, false, false]);
    assert_eq!((counter.starts, counter.choices, counter.transitions), (2, 4, 6));
}
