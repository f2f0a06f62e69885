//! Names of values in the symbolic back end, and errors in flat data of alphabets.

mod support;

use quaich_features::alphabet::AlphabetError;
use quaich_features::{
    AlphabetParts, Focus, FrozenAlphabet, Order, SymbolicProgram, SymbolicScratch, SymbolicTokens, Template,
};
use quaich_transition::configuration::{Configuration, RootPosition};
use quaich_transition::transition::Kind;
use quaich_treebank::{Label, Node};

use support::sentence;

/// Returns the names of a template's values if 2 is on the stack with the dependents 1 and 4 (labels 1 and 65), and 3
/// is next.
fn names(template: &str) -> Vec<String> {
    let rows = [
        "Der der DET ART Case=Nom",
        "Hund Hund NOUN NN Case=Nom|Number=Sing",
        "sah sehen VERB VV Number=Sing|Tense=Past",
        ". . PUNCT $. _",
    ];
    let sentence = sentence(&rows.map(str::to_owned));
    let program = SymbolicProgram::compile(&[Template::parse(template).unwrap()]);
    let mut alphabet = program.alphabet();
    let mut tokens = SymbolicTokens::default();
    tokens.read(&sentence, &program, Order::LeftToRight, &mut alphabet);
    let mut c = Configuration::new();
    c.reset(4, RootPosition::Stack);
    c.advance();
    let top = c.advance();
    c.push(top);
    c.attach(Node(2), Label(1), Node(1));
    c.attach(Node(2), Label(65), Node(4));
    c.record(Kind::LeftArc);
    let mut scratch = SymbolicScratch::default();
    program.run(&c, &tokens, Focus { head: Node(0), dependent: Node(2) }, &mut alphabet, &mut scratch);
    let labels = |label: Label| if label.is_none() { "-".to_owned() } else { format!("l{}", label.0) };
    scratch.values.iter().map(|&(position, id)| alphabet.name(position.into(), id, &labels)).collect()
}

#[test]
fn names_say_what_values_are() {
    for name in [
        "s0:p=NOUN b0:p=VERB",
        "s0:w[-2:]=nd b0:l=sehen b1:f=_",
        "s1:w=(root) s2:w=(none) s0.h:w=(none)",
        "s0:f.Case=Nom b0:f.Case=_",
        "s0:p&f.Case&f.Mood=NOUN&Nom&_ s1:p&f.Case&f.Mood=(root)",
        "s0.l:d=l1 s0.r:d=l65 s0:d=- s5:d=(none)",
        "s0:nl=1 s0:nv=2 s4:nr=(none)",
        "s0:sl={l1} s0:sr={l1} b0:sl={} s9:sl=(none)",
        "dist(s0,b0)=+1 dist(b0,s0.l)=-2 dist(s0,s1)=(root) dist(s0,s9)=(none)",
        "history:0=LA history:1=(none)",
        "h:w=(root) d:w=Hund",
    ] {
        let words = name.split(' ').map(|word| word.rsplit_once('=').unwrap().0);
        assert_eq!(names(&words.collect::<Vec<&str>>().join(" ")), [name]);
    }
    assert_eq!(names("agree(s0,b0,f.Number)"), ["agree(s0,b0,f.Number)=same"]);
    assert_eq!(names("agree(s0,b0,f.Case)"), ["agree(s0,b0,f.Case)=one missing"]);
    assert_eq!(names("agree(s0,b0,w)"), ["agree(s0,b0,w)=different"]);
    assert_eq!(names("agree(s1,b0,f.Case)"), ["agree(s1,b0,f.Case)=both missing"]);
}

#[test]
fn sets_give_a_value_for_every_element() {
    let sorted = |template: &str| {
        let mut names = names(template);
        names.sort_unstable();
        names
    };
    assert_eq!(sorted("s0:f*"), ["s0:f*=Case=Nom", "s0:f*=Number=Sing"]);
    assert_eq!(
        sorted("b0:f* s0:p s0:f*"),
        [
            "b0:f*=Number=Sing s0:p=NOUN s0:f*=Case=Nom",
            "b0:f*=Number=Sing s0:p=NOUN s0:f*=Number=Sing",
            "b0:f*=Tense=Past s0:p=NOUN s0:f*=Case=Nom",
            "b0:f*=Tense=Past s0:p=NOUN s0:f*=Number=Sing",
        ]
    );
    assert_eq!(sorted("s0:t*"), ["s0:t*=0=N", "s0:t*=1=N"]);
    assert_eq!(sorted("agree(s0,b0,f*)"), ["agree(s0,b0,f*)=Number="]);
    assert_eq!(sorted("agree(s0,b0,t*)"), ["agree(s0,b0,t*)=0≠", "agree(s0,b0,t*)=1≠"]);
    assert_eq!(names("b1:f*"), [""; 0]);
    assert_eq!(names("s0:p agree(s0,s1,f*)"), [""; 0]);
}

#[test]
fn flat_data_are_checked() {
    let parts = |templates: &[&str], texts: &[&str], sizes: &[u32], tuples: &[u32]| AlphabetParts {
        templates: templates.iter().map(|text| (*text).to_owned()).collect(),
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        sizes: sizes.to_vec(),
        tuples: tuples.to_vec(),
    };
    let good = parts(&["s0:p b0:w", "s0:p&t"], &["NOUN", "a"], &[1, 2, 2, 0], &[3, 4, 2, 3, 3, 4, 4, 4]);
    let alphabet = FrozenAlphabet::from_parts(&good).unwrap();
    assert_eq!((alphabet.n_positions(), alphabet.n_values(1)), (2, 2));
    assert_eq!(alphabet.templates()[1].to_string(), "s0:p&t");
    assert_eq!(alphabet.name(1, 1, &|_| String::new()), "s0:p&t=a&a");
    assert_eq!(alphabet.to_parts(), good);
    let reason = |parts: AlphabetParts| -> AlphabetError { FrozenAlphabet::from_parts(&parts).unwrap_err() };
    for (bad, expected) in [
        (parts(&["s0:p"], &["a", "a"], &[0, 0], &[]), "found 1 different texts in an alphabet, expected 2"),
        (parts(&["s0:p"], &[], &[0], &[]), "found 1 sizes in an alphabet, expected 2"),
        (parts(&["s0:p"], &[], &[1, 0], &[]), "found 0 numbers in an alphabet, expected 1"),
        (parts(&["s0:p"], &[], &[2, 0], &[1, 1]), "found 1 different values in an alphabet, expected 2"),
        (
            parts(&["s0:p"], &["a"], &[1, 0], &[4]),
            "found the number 4 for `s0:p` in an alphabet, expected one below 4",
        ),
        (
            parts(&["s0:p&t"], &["a"], &[0, 1, 0], &[3, 4]),
            "found the number 4 for `p` in an alphabet, expected one below 4",
        ),
        (
            parts(&["history:0"], &[], &[1, 0], &[16]),
            "found the number 16 for `history:0` in an alphabet, expected one below 16",
        ),
    ] {
        assert_eq!(reason(bad).to_string(), expected);
    }
    assert!(matches!(reason(parts(&["s0:q"], &[], &[0, 0], &[])), AlphabetError::Template(_)));
}
