//! Speed of every system with its static oracle, and of dynamic oracles: nanoseconds per transition on sentences of
//! ordinary length, and growth with sentence length.
//!
//! ```text
//! cargo bench -p quaich-transition
//! ```
//!
//! Items are transitions; reading the gold tree is included in the time.

use divan::Bencher;
use divan::counter::ItemsCount;
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::gold::Gold;
use quaich_transition::guide::{Guide, RandomGuide, run};
use quaich_transition::oracle::{DynamicOracle, StaticOracle};
use quaich_transition::systems::{
    ArcEager, ArcHybrid, ArcHybridSwap, Covington, Options, Planar, SYSTEMS, StackProjective, Swap, SwapRule,
    System, TwoPlanar,
};
use quaich_transition::transition::{KindSet, Transition};
use quaich_treebank::tree::{Node, Tree};

fn main() {
    divan::main();
}

/// Returns a random projective tree, built by arc-hybrid.
fn projective_tree(n_tokens: usize) -> Tree {
    let system = ArcHybrid::new(Options { root: RootPosition::End, single_root: true, ..Options::default() });
    let mut c = Configuration::new();
    run(&system, &mut RandomGuide::new(42, 40), &mut (), n_tokens, &mut c);
    c.tree()
}

/// Returns a tree whose projective order is far from the word order: every token in the first half has its head at the
/// same position of the second half, so the halves have to be interleaved.
fn shuffled_tree(n_tokens: usize) -> Tree {
    let half = n_tokens / 2;
    let mut tree = Tree::new(n_tokens);
    for token in tree.tokens() {
        let head = if token.index() <= half { token.index() + half } else { 0 };
        tree.set(token, Node::from_index(head), quaich_treebank::symbols::Label(0));
    }
    tree
}

/// Runs the oracle over one tree repeatedly.
fn bench_oracle<S: System + ?Sized>(bencher: Bencher<'_, '_>, system: &S, tree: &Tree) {
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    run(system, &mut StaticOracle::new(system, tree, &mut gold), &mut (), tree.n_tokens(), &mut c);
    bencher.counter(ItemsCount::new(c.n_transitions())).bench_local(|| {
        let mut oracle = StaticOracle::new(system, tree, &mut gold);
        run(system, &mut oracle, &mut (), tree.n_tokens(), &mut c);
        c.n_transitions()
    });
}

/// Follows the dynamic oracle over one tree repeatedly.
fn bench_dynamic<S: System + Default>(bencher: Bencher<'_, '_>, tree: &Tree) {
    let system = S::default();
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    run(&system, &mut DynamicOracle::new(&system, tree, &mut gold), &mut (), tree.n_tokens(), &mut c);
    bencher.counter(ItemsCount::new(c.n_transitions())).bench_local(|| {
        run(&system, &mut DynamicOracle::new(&system, tree, &mut gold), &mut (), tree.n_tokens(), &mut c);
        c.n_transitions()
    });
}

/// Queries the dynamic oracle at every step, and follows it nine times in ten.
struct Straying<'a, S> {
    system: &'a S,
    gold: &'a mut Gold,
    chance: RandomGuide,
}

impl<S: System> Guide for Straying<'_, S> {
    fn start(&mut self, _c: &Configuration) {
        self.gold.rewind();
        self.chance = RandomGuide::new(1, 40);
    }

    fn choose(&mut self, c: &Configuration, permissible: KindSet) -> Transition {
        let optimal = self.system.optimal(c, self.gold);
        let strays = optimal.is_empty() || self.chance.below(10) == 0;
        self.chance.choose(c, if strays { permissible } else { optimal })
    }
}

/// Follows the dynamic oracle over one tree repeatedly, with random errors.
fn bench_straying<S: System + Default>(bencher: Bencher<'_, '_>, tree: &Tree) {
    let system = S::default();
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    gold.read(tree, system.options().root);
    system.prepare(&mut gold);
    let mut guide = Straying { system: &system, gold: &mut gold, chance: RandomGuide::new(1, 40) };
    run(&system, &mut guide, &mut (), tree.n_tokens(), &mut c);
    bencher.counter(ItemsCount::new(c.n_transitions())).bench_local(|| {
        run(&system, &mut guide, &mut (), tree.n_tokens(), &mut c);
        c.n_transitions()
    });
}

/// All systems of the table on a projective sentence of 25 tokens.
#[divan::bench(args = SYSTEMS.iter().map(|entry| entry.name))]
fn sentence_of_25(bencher: Bencher<'_, '_>, name: &str) {
    let entry = SYSTEMS.iter().find(|entry| entry.name == name).expect("the name is from the table");
    bench_oracle(bencher, &*(entry.build)(Options::default()), &projective_tree(25));
}

/// The parsing loop alone, compiled for the system, with random transitions.
#[divan::bench(types = [ArcEager, ArcHybrid, StackProjective, Planar])]
fn loop_alone<S: System + Default>(bencher: Bencher<'_, '_>) {
    let system = S::default();
    let mut c = Configuration::new();
    let mut chance = RandomGuide::new(1, 40);
    run(&system, &mut chance, &mut (), 25, &mut c);
    bencher.counter(ItemsCount::new(c.n_transitions())).bench_local(|| {
        run(&system, &mut RandomGuide::new(1, 40), &mut (), 25, &mut c);
        c.n_transitions()
    });
}

/// Dynamic oracles on a sentence of 25 tokens.
#[divan::bench(types = [ArcEager, ArcHybrid, ArcHybridSwap, Planar, Covington])]
fn dynamic_oracle<S: System + Default>(bencher: Bencher<'_, '_>) {
    bench_dynamic::<S>(bencher, &projective_tree(25));
}

const LINEAR: [usize; 6] = [100, 1_000, 10_000, 25_000, 50_000, 100_000];

/// Linear systems on sentences of up to 100,000 tokens.
#[divan::bench(types = [ArcEager, ArcHybrid, StackProjective, Planar, TwoPlanar], args = LINEAR, sample_count = 60)]
fn growth_linear<S: System + Default>(bencher: Bencher<'_, '_>, n_tokens: usize) {
    bench_oracle(bencher, &S::default(), &projective_tree(n_tokens));
}

/// Dynamic oracles on the gold path.
#[divan::bench(types = [ArcEager, ArcHybrid, ArcHybridSwap, Planar, Covington], args = LINEAR, sample_count = 60)]
fn growth_dynamic<S: System + Default>(bencher: Bencher<'_, '_>, n_tokens: usize) {
    bench_dynamic::<S>(bencher, &projective_tree(n_tokens));
}

/// Dynamic oracles with one random transition in ten, so that they have losses to track.
#[divan::bench(types = [ArcEager, ArcHybrid, ArcHybridSwap, Planar, Covington], args = LINEAR, sample_count = 60)]
fn growth_straying<S: System + Default>(bencher: Bencher<'_, '_>, n_tokens: usize) {
    bench_straying::<S>(bencher, &projective_tree(n_tokens));
}

/// Covington's dynamic oracle on sentences with a quadratic number of transitions: compare the time per transition.
#[divan::bench(args = [100, 1_000, 5_000, 10_000], sample_count = 10)]
fn growth_dynamic_quadratic(bencher: Bencher<'_, '_>, n_tokens: usize) {
    bench_dynamic::<Covington>(bencher, &shuffled_tree(n_tokens));
}

/// Lazy swap on projective sentences is linear too.
#[divan::bench(args = LINEAR, sample_count = 60)]
fn growth_swap_lazy(bencher: Bencher<'_, '_>, n_tokens: usize) {
    bench_oracle(bencher, &Swap::new(Options::default(), SwapRule::Lazy), &projective_tree(n_tokens));
}

/// Eager swap where every token moves past half of the others: a quadratic number of transitions.
#[divan::bench(args = [250, 500, 1_000, 2_000], sample_count = 60)]
fn growth_swap_worst(bencher: Bencher<'_, '_>, n_tokens: usize) {
    bench_oracle(bencher, &Swap::new(Options::default(), SwapRule::Eager), &shuffled_tree(n_tokens));
}

/// Covington is quadratic in the worst case.
#[divan::bench(args = [250, 500, 1_000, 2_000, 4_000], sample_count = 60)]
fn growth_covington(bencher: Bencher<'_, '_>, n_tokens: usize) {
    bench_oracle(bencher, &Covington::new(Options::default()), &shuffled_tree(n_tokens));
}
