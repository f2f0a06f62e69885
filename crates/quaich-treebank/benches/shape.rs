//! Speed of computing tree properties: on all trees of a generated treebank of 100,000 tokens, a fifth of which are
//! non-projective, and on single trees of 100,000 tokens.

use divan::Bencher;
use divan::counter::ItemsCount;
use quaich_testkit::generator::{self, TreebankOptions};
use quaich_testkit::random::Random;
use quaich_treebank::shape::{RootArcs, Shapes};
use quaich_treebank::{ReadOptions, Reader, Source, Symbols, Tree};

const N_TOKENS: u32 = 100_000;

fn main() {
    divan::main();
}

type Measure = (&'static str, fn(&mut Shapes));

static MEASURES: &[Measure] = &[
    ("read only", |_| {}),
    ("projective", |shapes| {
        divan::black_box(shapes.is_projective());
    }),
    ("non-projective arcs", |shapes| {
        divan::black_box(shapes.nonprojective_arcs());
    }),
    ("2-planar", |shapes| {
        divan::black_box(shapes.two_planes(RootArcs::Ignored));
    }),
    ("planes", |shapes| {
        divan::black_box(shapes.plane_count(RootArcs::Ignored));
    }),
    ("gap degree", |shapes| {
        divan::black_box(shapes.gap_degree());
    }),
    ("well-nested", |shapes| {
        divan::black_box(shapes.is_well_nested());
    }),
    ("projective order", |shapes| {
        divan::black_box(shapes.projective_order());
    }),
    ("projectivize", |shapes| {
        divan::black_box(shapes.projectivize());
    }),
];

#[divan::bench(args = MEASURES.iter().map(|(name, _)| *name))]
fn sentences(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, name, &treebank());
}

/// Tokens in random order, each attached to a random earlier one.
#[divan::bench(args = MEASURES.iter().map(|(name, _)| *name), sample_count = 10)]
fn one_random_tree(bencher: Bencher<'_, '_>, name: &str) {
    let mut random = Random::new(1);
    let mut order: Vec<u32> = (1..=N_TOKENS).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, random.index(place + 1));
    }
    let mut heads = vec![0; order.len()];
    for place in 1..order.len() {
        heads[order[place] as usize - 1] = order[random.index(place)];
    }
    bench(bencher, name, &[Tree::from_heads(&heads)]);
}

/// Every token depends on the one before it.
#[divan::bench(args = MEASURES.iter().map(|(name, _)| *name), sample_count = 10)]
fn one_chain(bencher: Bencher<'_, '_>, name: &str) {
    bench(bencher, name, &[Tree::from_heads(&(0..N_TOKENS).collect::<Vec<_>>())]);
}

fn bench(bencher: Bencher<'_, '_>, name: &str, trees: &[Tree]) {
    let measure = MEASURES.iter().find(|(known, _)| *known == name).expect("names come from the table").1;
    let mut shapes = Shapes::default();
    bencher.counter(ItemsCount::new(trees.iter().map(Tree::n_tokens).sum::<usize>())).bench_local(|| {
        for tree in trees {
            shapes.read(tree).expect("the trees are well-formed");
            measure(&mut shapes);
        }
    });
}

fn treebank() -> Vec<Tree> {
    let options =
        TreebankOptions { n_tokens: u64::from(N_TOKENS), nonprojective: 0.2, ..TreebankOptions::default() };
    let text = std::io::Cursor::new(generator::text(&options));
    let source = Source::from_stream(text, "generated".into(), None).expect("memory can be read");
    let mut labels = Symbols::new();
    let reader = Reader::new(source, &ReadOptions::default()).expect("the format is CoNLL-U");
    let trees = reader
        .sentences()
        .map(|sentence| sentence.expect("the generator writes valid text").tree(&mut labels));
    trees.filter(|tree| tree.n_tokens() > 0).collect()
}
