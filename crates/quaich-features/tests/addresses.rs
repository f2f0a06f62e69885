//! All addresses, on handmade configurations.

use quaich_features::{Address, Focus, Places, Step, Template, Value};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_treebank::{Label, Node};

/// Returns the node at an address, and its label.
fn find(c: &Configuration, focus: Focus, address: &str) -> (Node, Label) {
    let template = Template::parse(&format!("{address}:d")).unwrap();
    let [Value::Label(address)] = template.values.as_slice() else { panic!("{template}") };
    let mut places = Places::default();
    let place = places.add(address);
    let mut nodes = vec![Node::NONE; places.len()];
    places.locate(c, focus, &mut nodes);
    (nodes[usize::from(place)], places.label(place, c, &nodes))
}

/// Checks the nodes at some addresses; `-` is none.
fn check(c: &Configuration, focus: Focus, expected: &[(&str, &str)]) {
    for (address, node) in expected {
        assert_eq!(find(c, focus, address).0.to_string(), *node, "{address}");
    }
}

/// Two stacks, a buffer and some arcs:
///
/// ```text
///   [0 2 4]  [1]  [5 6 7 8]      4 → 3 (label 7), 2 → 8 (8), 2 → 4 (9)
/// ```
fn configuration() -> Configuration {
    let mut c = Configuration::new();
    c.reset(8, RootPosition::Stack);
    for _ in 1..=4 {
        let node = c.advance();
        match node.0 {
            1 => c.push_second(node),
            3 => {}
            _ => c.push(node),
        }
    }
    c.attach(Node(4), Label(7), Node(3));
    c.attach(Node(2), Label(8), Node(8));
    c.attach(Node(2), Label(9), Node(4));
    c
}

#[test]
fn stacks_buffer_and_arc_are_found() {
    let focus = Focus { head: Node(2), dependent: Node(7) };
    check(
        &configuration(),
        focus,
        &[
            ("s0", "4"),
            ("s1", "2"),
            ("s2", "0"),
            ("s3", "-"),
            ("i0", "1"),
            ("i1", "-"),
            ("b0", "5"),
            ("b2", "7"),
            ("b4", "-"),
            ("h", "2"),
            ("d", "7"),
        ],
    );
    check(&configuration(), Focus::NONE, &[("h", "-"), ("d", "-"), ("h+1", "-"), ("d.l", "-")]);
}

#[test]
fn steps_follow_one_another() {
    check(
        &configuration(),
        Focus { head: Node(2), dependent: Node(8) },
        &[
            ("s0.h", "2"),
            ("s0.h.h", "-"),
            ("s0.a", "2"),
            ("s0.l", "3"),
            ("s0.l.a", "2"),
            ("s0.l2", "-"),
            ("s1.r", "8"),
            ("s1.r2", "4"),
            ("s1.r3", "-"),
            ("s1.r2.l", "3"),
            ("d.ls", "4"),
            ("s0.rs", "8"),
            ("s0.rs.rs", "-"),
            ("s1.ld", "2"),
            ("s1.rd", "8"),
            ("s0.ld", "3"),
            ("s0+1", "5"),
            ("s0+1+1-1", "5"),
            ("i0-1", "-"),
            ("s2+1", "-"),
            ("d+1", "-"),
            ("s3.h.l+1", "-"),
        ],
    );
}

#[test]
fn labels_are_those_of_arcs_or_of_edges() {
    let label = |c: &Configuration, address: &str| find(c, Focus::NONE, address).1;
    let c = configuration();
    let labels = ["s0", "s0.l", "s1.r", "s1.r2", "s1"].map(|address| label(&c, address));
    assert_eq!(labels, [9, 7, 8, 9, u32::MAX].map(Label));
    let mut c = Configuration::new();
    c.reset(5, RootPosition::Stack);
    c.track_edges();
    for other in [1, 2, 4] {
        c.connect(Node(5), Label(10 + other), Node(other));
    }
    c.push(Node(5));
    // No node has a head, but every edge has a label.
    let labels = ["s0", "s0.l", "s0.l2", "s0.l3", "s0.l.r", "s0.r"].map(|address| label(&c, address));
    assert_eq!(labels, [u32::MAX, 11, 12, 14, 11, u32::MAX].map(Label));
}

#[test]
fn addresses_are_written_as_they_are_read() {
    let address = Address::Second(3).then(Step::Left(2)).then(Step::RightSibling).then(Step::Previous);
    assert_eq!(address.to_string(), "i3.l3.rs-1");
}
