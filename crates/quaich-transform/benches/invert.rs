//! Cost of inverting a transformation after parsing: sentences without and with lifted arcs.

use divan::Bencher;
use divan::counter::ItemsCount;
use quaich_transform::{Decoder, Encoding, PseudoProjective, Scratch};
use quaich_treebank::{Label, Node, Symbols, Tree};

fn main() {
    divan::main();
}

/// A chain of tokens, each labelled with the token's number modulo 40, and one arc out of a gap per `every` tokens.
fn tree(n_tokens: u32, every: u32, labels: &mut Symbols<Label>) -> Tree {
    let mut tree = Tree::new(n_tokens as usize);
    for token in 1..=n_tokens {
        let head = if every > 0 && token % every == 0 && token > 3 { token - 3 } else { token - 1 };
        tree.set(Node(token), Node(head), labels.intern(&format!("l{}", token % 40)));
    }
    // Every crossing needs a token that an arc spans without dominating it.
    if every > 0 {
        for token in (every..=n_tokens).step_by(every as usize).filter(|&token| token > 3) {
            tree.set(Node(token - 1), Node::ROOT, tree.label(Node(token - 1)));
        }
    }
    tree
}

#[divan::bench(args = [0, 10], consts = [25, 1000])]
fn head<const N: u32>(bencher: Bencher<'_, '_>, every: u32) {
    let (mut labels, mut scratch) = (Symbols::new(), Scratch::default());
    // The table has marked labels in both cases, like the table of a model.
    let mut lifted = tree(100, 7, &mut labels);
    let transform = PseudoProjective::new(Encoding::Head);
    transform.projectivize(&mut lifted, &mut labels, &mut scratch).expect("a tree");
    let mut tree = tree(N, every, &mut labels);
    transform.projectivize(&mut tree, &mut labels, &mut scratch).expect("a tree");
    let decoder = Decoder::new(PseudoProjective::new(Encoding::Head), &mut labels);
    bencher.counter(ItemsCount::new(N)).with_inputs(|| tree.clone()).bench_local_refs(|tree| {
        decoder.deprojectivize(tree, &mut scratch);
    });
}
