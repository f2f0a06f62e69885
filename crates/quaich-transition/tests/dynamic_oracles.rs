//! Dynamic oracles against brute force: all configurations of all small sentences, all gold trees.
#![allow(clippy::print_stderr, reason = "prints how often the oracle with SWAP is optimal")]

mod common;

use common::{POSITIONS, Space, all_trees, gold_for, is_planar, is_projective, labelled, n_roots, options};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::guide::{Guide, RandomGuide, run};
use quaich_transition::systems::{ArcEager, ArcHybrid, ArcHybridSwap, Covington, Options, Planar, System};
use quaich_transition::transition::{Kind, KindSet, Transition};
use quaich_treebank::symbols::Label;
use quaich_treebank::tree::{Node, Tree};

/// Compares optimal sets in every configuration; returns the number of comparisons.
fn check_exact(system: &dyn System, n_tokens: usize, trees: &[Tree]) -> usize {
    let space = Space::new(system, n_tokens);
    for tree in trees {
        let best = space.best(system, tree);
        let mut gold = gold_for(system, tree);
        for (id, c) in space.configurations.iter().enumerate() {
            if space.next[id].is_empty() {
                continue;
            }
            gold.rewind();
            let found = system.optimal(c, &mut gold);
            let mut expected = space.optimal(id, &best);
            if system.options().root == RootPosition::Stack
                && c.stack(0).is_root()
                && expected.contains(Kind::RightArc)
                && c.buffer(0).is_some()
                && tree.head(c.buffer(0)) == Node::ROOT
            {
                expected = expected.without(Kind::Shift); // the finish would not know the label
            }
            assert_eq!(
                found,
                expected,
                "{system:?}\ngold {:?}\nstack {:?} buffer {:?} heads {:?}",
                tree.heads(),
                c.stack_nodes(),
                c.buffer_nodes(),
                c.tree().heads()
            );
        }
    }
    space.configurations.len() * trees.len()
}

fn check_projective(build: fn(Options) -> Box<dyn System>, largest: usize) {
    for root in POSITIONS {
        for single_root in [false, true] {
            let system = build(options(root, single_root));
            for n in 1..=largest {
                let trees: Vec<Tree> = all_trees(n)
                    .into_iter()
                    .filter(|tree| is_projective(tree) && (!single_root || n_roots(tree) == 1))
                    .collect();
                assert!(check_exact(&*system, n, &trees) > 0);
            }
        }
    }
}

#[test]
fn arc_eager_is_exact() {
    check_projective(|options| Box::new(ArcEager::new(options)), 5);
}

#[test]
fn arc_hybrid_is_exact() {
    check_projective(|options| Box::new(ArcHybrid::new(options)), 5);
}

/// Compares optimal sets in every configuration, counting arcs that are built.
fn check_built(system: &dyn System, n_tokens: usize, trees: &[Tree]) {
    let space = Space::new(system, n_tokens);
    for tree in trees {
        let best = space.best_built(tree);
        let mut gold = gold_for(system, tree);
        for (id, c) in space.configurations.iter().enumerate() {
            if space.next[id].is_empty() {
                continue;
            }
            gold.rewind();
            let (found, expected) = (system.optimal(c, &mut gold), space.optimal(id, &best));
            assert_eq!(
                found,
                expected,
                "{system:?}\ngold {:?}\nstack {:?} second {:?} buffer {:?} heads {:?}",
                tree.heads(),
                c.stack_nodes(),
                c.second_nodes(),
                c.buffer_nodes(),
                c.tree().heads()
            );
        }
    }
}

fn check_all_built(
    build: fn(Options) -> Box<dyn System>,
    largest: usize,
    class: fn(&Tree, RootPosition) -> bool,
) {
    for root in POSITIONS {
        for single_root in [false, true] {
            let system = build(options(root, single_root));
            for n in 1..=largest {
                let mut trees = all_trees(n);
                trees.retain(|tree| class(tree, root) && (!single_root || n_roots(tree) == 1));
                check_built(&*system, n, &trees);
            }
        }
    }
}

/// One in `usual` of the many trees of five tokens is enough, unless `QUAICH_EXHAUSTIVE` is set.
fn step(usual: usize) -> usize {
    if std::env::var_os("QUAICH_EXHAUSTIVE").is_some() { 1 } else { usual }
}

#[test]
fn covington_is_exact() {
    check_all_built(|options| Box::new(Covington::new(options)), 4, |_, _| true);
    for root in POSITIONS {
        for single_root in [false, true] {
            let trees = all_trees(5).into_iter().filter(|tree| !single_root || n_roots(tree) == 1);
            let trees: Vec<_> = trees.step_by(step(53)).collect();
            check_built(&Covington::new(options(root, single_root)), 5, &trees);
        }
    }
}

#[test]
fn planar_is_exact() {
    check_all_built(|options| Box::new(Planar::new(options)), 5, is_planar);
}

/// The loss that Covington's and the planar oracle count, by its definition: tokens whose target is not their gold
/// head, and cycles of targets.
fn counted_loss(c: &Configuration, tree: &Tree, single_root: bool, is_planar: bool) -> usize {
    let front = c.position(c.buffer(0));
    let meets = |left: Node, right: u32| {
        if is_planar {
            right >= front && (c.position(left) >= front || c.stack_nodes().contains(&left))
        } else {
            right > front || (right == front && c.stack_nodes().contains(&left))
        }
    };
    let target = |token: Node| {
        let head = tree.head(token);
        if token.is_root() || c.has_head(token) || head.is_none() {
            return c.head(token);
        }
        let implicit = head.is_root() && c.root() == RootPosition::None;
        let taken = head.is_root() && single_root && c.valency(Node::ROOT) > 0;
        let (left, right) = if c.position(head) < c.position(token) { (head, token) } else { (token, head) };
        if implicit || (!taken && meets(left, c.position(right))) { head } else { Node::NONE }
    };
    let lost = |token: &Node| tree.head(*token).is_some() && target(*token) != tree.head(*token);
    // A cycle is counted at its first token.
    let closes_cycle = |token: &Node| {
        let mut node = target(*token);
        for _ in 0..tree.n_tokens() {
            if node.is_none() || node <= *token {
                break;
            }
            node = target(node);
        }
        node == *token
    };
    tree.tokens().filter(lost).count() + tree.tokens().filter(closes_cycle).count()
}

/// The oracles keep their state from one configuration to the next; in any run over any tree, this is equivalent to
/// counting the loss before and after every transition.
#[test]
fn what_is_kept_agrees_with_what_is_counted() {
    for (case, seed) in (0..).zip(0..300u64) {
        let root = POSITIONS[case % 3];
        let (single_root, is_planar) = (case / 3 % 2 == 1, case / 6 % 2 == 1);
        let system: Box<dyn System> = if is_planar {
            Box::new(Planar::new(options(root, single_root)))
        } else {
            Box::new(Covington::new(options(root, single_root)))
        };
        // Any tree: built by Covington's system at random, with some heads unknown.
        let mut chance = RandomGuide::new(seed, 1);
        let n_tokens = 1 + chance.below(16) as usize;
        let mut c = Configuration::new();
        run(
            &Covington::new(options(RootPosition::Stack, single_root)),
            &mut chance,
            &mut (),
            n_tokens,
            &mut c,
        );
        let mut tree = c.tree();
        for token in tree.tokens().filter(|_| chance.below(12) == 0).collect::<Vec<_>>() {
            tree.set(token, Node::NONE, Label(0));
        }
        let mut gold = gold_for(&*system, &tree);
        // Errors are rare, permanent, or in half of the steps.
        let mistakes = [10, 100, 50][case / 12 % 3];
        for _ in 0..20 {
            system.start(&mut c, n_tokens);
            gold.rewind();
            while !system.is_terminal(&c) {
                let permissible = system.permissible(&c);
                let mut kinds = permissible;
                if permissible.len() > 1 {
                    let loss = counted_loss(&c, &tree, single_root, is_planar);
                    let expected = permissible.iter().fold(KindSet::EMPTY, |set, kind| {
                        let mut after = c.clone();
                        system.apply(&mut after, Transition { kind, label: Label(0) });
                        set.with_if(kind, counted_loss(&after, &tree, single_root, is_planar) == loss)
                    });
                    let found = system.optimal(&c, &mut gold);
                    assert_eq!(found, expected, "{system:?} on {:?} at {c:?}", tree.heads());
                    if !found.is_empty() && chance.below(100) >= mistakes {
                        kinds = found;
                    }
                }
                let transition = chance.choose(&c, kinds);
                system.apply(&mut c, transition);
            }
        }
    }
}

/// Arcs whose dependent has another head or whose head has left stack and buffer.
fn n_dead(c: &Configuration, tree: &Tree) -> usize {
    let in_play = |node: Node| node.is_root() || !c.has_head(node);
    tree.tokens()
        .filter(|&token| {
            if c.has_head(token) { c.head(token) != tree.head(token) } else { !in_play(tree.head(token)) }
        })
        .count()
}

/// With SWAP the dead arcs are a lower bound of the loss; the oracle stays on gold paths when it follows them, and
/// elsewhere its set includes an optimal transition in 93 of 100 configurations or more.
#[test]
fn arc_hybrid_swap_bounds_the_loss_and_keeps_right_paths() {
    for root in [RootPosition::Stack, RootPosition::End] {
        for single_root in [false, true] {
            let system = ArcHybridSwap::new(options(root, single_root));
            for n in 1..=4 {
                let space = Space::new(&system, n);
                let (mut n_configurations, mut n_optimal) = (0usize, 0usize);
                for tree in all_trees(n).iter().filter(|tree| !single_root || n_roots(tree) == 1) {
                    let best = space.best(&system, tree);
                    let mut gold = gold_for(&system, tree);
                    for (id, c) in space.configurations.iter().enumerate() {
                        assert!(n_dead(c, tree) <= n - best[id]);
                        if space.next[id].is_empty() {
                            continue;
                        }
                        gold.rewind();
                        let followed = system.optimal(c, &mut gold);
                        assert!(!followed.is_empty());
                        let optimal = space.optimal(id, &best);
                        n_configurations += 1;
                        n_optimal += usize::from(!followed.intersection(optimal).is_empty());
                    }
                    // The start is the last configuration of the space.
                    let mut path = vec![space.configurations.len() - 1];
                    while let Some(id) = path.pop() {
                        assert_eq!(best[id], n, "{system:?} on {:?}", tree.heads());
                        gold.rewind();
                        let followed = system.optimal(&space.configurations[id], &mut gold);
                        path.extend(
                            space.next[id].iter().filter(|next| followed.contains(next.0)).map(|next| next.1),
                        );
                    }
                }
                assert!(
                    n_optimal * 100 >= n_configurations * 93,
                    "{n_optimal} of {n_configurations} for {n} tokens"
                );
                eprintln!(
                    "{root:?} single {single_root}: optimal in {n_optimal} of {n_configurations} for {n} tokens"
                );
            }
        }
    }
}

/// Unknown heads cost nothing: all ways of hiding heads of all projective trees of four tokens, and of those with a
/// single root.
#[test]
fn unknown_heads_cost_nothing() {
    let n = 4;
    for single_root in [false, true] {
        let mut trees = Vec::new();
        for tree in all_trees(n).iter().filter(|tree| is_projective(tree)) {
            if single_root && n_roots(tree) != 1 {
                continue;
            }
            for hidden in 1u32..1 << n {
                let heads: Vec<u32> = tree
                    .tokens()
                    .map(|t| if hidden >> (t.0 - 1) & 1 == 1 { u32::MAX } else { tree.head(t).0 })
                    .collect();
                trees.push(labelled(&heads));
            }
        }
        trees.sort_by(|a, b| a.heads().cmp(b.heads()));
        trees.dedup();
        for root in POSITIONS {
            check_exact(&ArcEager::new(options(root, single_root)), n, &trees);
            check_exact(&ArcHybrid::new(options(root, single_root)), n, &trees);
            check_built(&Covington::new(options(root, single_root)), n, &trees);
            check_built(&Planar::new(options(root, single_root)), n, &trees);
        }
    }
}
