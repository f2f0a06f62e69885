//! Trees of source files, by their grammars.
#![cfg(all(feature = "java", feature = "c", feature = "cpp", feature = "python", feature = "rust"))]

mod common;

use common::{encoder, rules};
use quaich_code::brackets::write_brackets;
use quaich_code::damage::{Alignment, Blanked, DAMAGES, Random, Trial};
use quaich_code::treebank::{SourceFile, source_of};
use quaich_code::{
    Analysis, Decoder, Kind, Kinds, LANGUAGES, Lexer, ParsedSource, SourceParser, Token, TreeScore, language,
};
use quaich_treebank::formats::conllu;
use quaich_treebank::shape::Shapes;
use quaich_treebank::{Role, Symbols};
use std::sync::Arc;

struct Parsed {
    tokens: Vec<Token>,
    analysis: Analysis,
    names: Vec<Kind>,
}

fn parse(name: &str, source: &[u8], kinds: &mut Kinds) -> Parsed {
    let language = language::by_name(name).unwrap();
    let mut parser = SourceParser::new(language, std::mem::take(kinds)).unwrap();
    let ParsedSource { tokens, analysis } = parser.parse(source).unwrap();
    assert_eq!(analysis.tree.n_tokens(), tokens.len());
    assert!(analysis.tree.is_continuous());
    let names = parser.names(&tokens);
    *kinds = std::mem::take(parser.kinds_mut());
    Parsed { tokens, analysis, names }
}

/// Checks the tree of a file, with leaf kinds before a colon.
#[track_caller]
fn check(name: &str, source: &str, expected: &str) {
    let mut kinds = Kinds::new();
    let Parsed { tokens, analysis, .. } = parse(name, source.as_bytes(), &mut kinds);
    let language = language::by_name(name).unwrap();
    let texts: Vec<String> = tokens
        .iter()
        .zip(analysis.tree.leaf_kinds())
        .map(|(token, &leaf)| {
            let text = String::from_utf8_lossy(token.text(source.as_bytes()));
            let text = if token.tag.is_layout() { language.tag_name(token.tag).into() } else { text };
            if leaf.is_some() { format!("{}:{text}", kinds.text(leaf)) } else { text.into_owned() }
        })
        .collect();
    let mut shown = String::new();
    write_brackets(&analysis.tree, &kinds, |token| (None, &texts[token]), &mut shown);
    assert_eq!(shown, expected);
}

#[test]
fn trees_are_over_the_tokens_of_the_lexer() {
    check(
        "python",
        "# a\ndef f(x):\n    return 'a\\n' + x  # b\ny = True\n",
        "(module (function_definition def f (parameters -LRB- x -RRB-) : LINE (block INDENT (return_statement return \
         (binary_operator 'a\\n' + x)) LINE DEDENT)) (expression_statement (assignment y = True)) LINE)",
    );
    check(
        "java",
        "class A { List<List<B>> c = d >> 1; }",
        "(program (class_declaration class A (class_body { (field_declaration (generic_type type_identifier:List \
         (type_arguments < (generic_type type_identifier:List (type_arguments < type_identifier:B >)) >)) \
         (variable_declarator c = (binary_expression d (>> > >) 1)) ;) })))",
    );
    check(
        "c",
        "#define F(a) a + 1 /* c */\nint main() { return F(1); }\n",
        "(translation_unit (preproc_function_def #define F (preproc_params -LRB- a -RRB-) a + 1) LINE \
         (function_definition int (function_declarator main (parameter_list -LRB- -RRB-)) (compound_statement { \
         (return_statement return (call_expression F (argument_list -LRB- 1 -RRB-)) ;) })))",
    );
    check(
        "rust",
        "fn f<'a>() { x.0 && !m![1, \"b\"] }",
        "(source_file (function_item fn f (type_parameters < (lifetime_parameter 'a) >) (parameters -LRB- -RRB-) (block { \
         (binary_expression (field_expression x . 0) && (unary_expression ! (macro_invocation m ! \
         (token_tree [ 1 , \"b\" ])))) })))",
    );
    check("cpp", "// nothing\n", "");
}

#[test]
fn what_is_broken_has_errors() {
    let mut kinds = Kinds::new();
    for (name, source) in [
        ("java", "class { A"),
        ("python", "def f(:\n  x"),
        ("rust", "fn fn"),
        ("c", "int ] x"),
        ("cpp", "class A B {"),
    ] {
        let parsed = parse(name, source.as_bytes(), &mut kinds);
        assert!(parsed.analysis.has_errors, "{source}");
    }
}

/// One file per language with much of its syntax.
const SAMPLES: [(&str, &str); 5] = [
    ("java", include_str!("samples/Sample.java")),
    ("c", include_str!("samples/sample.c")),
    ("cpp", include_str!("samples/sample.cpp")),
    ("python", include_str!("samples/sample.py")),
    ("rust", include_str!("samples/sample.rs.txt")),
];

#[test]
fn samples_come_back_through_conllu() {
    let layout = Arc::new(conllu::layout());
    for (name, source) in SAMPLES {
        // The same with other line ends, and with bytes that are no text.
        let crlf = source.replace('\n', "\r\n").into_bytes();
        let latin: Vec<u8> = source.chars().map(|char| u8::try_from(char).unwrap_or(b'?')).collect();
        let mark = [b"\xef\xbb\xbf", source.as_bytes()].concat();
        for source in [source.as_bytes(), &crlf, &latin, &mark] {
            let mut kinds = Kinds::new();
            let parsed = parse(name, source, &mut kinds);
            assert!(!parsed.analysis.has_errors, "{name}");
            let tree = &parsed.analysis.tree;
            let root = kinds.intern(language::by_name(name).unwrap().root);
            for rule in rules(&[(tree.clone(), parsed.names.clone())], &mut kinds) {
                let mut encoder = encoder(rule);
                let encoded = encoder.encode(tree, &parsed.names, &kinds);
                let file = SourceFile {
                    language: language::by_name(name).unwrap(),
                    name: "a b.txt",
                    source,
                    tokens: &parsed.tokens,
                    comments: &[("damage", "none")],
                    columns: None,
                };
                let sentence =
                    file.sentence(&layout, Some((&encoded, encoder.label_symbols()))).unwrap().unwrap();
                assert_eq!(source_of(&sentence).unwrap(), source);
                assert_eq!(sentence.comment("language"), Some(name));
                assert_eq!(sentence.comment("damage"), Some("none"));
                let mut labels = Symbols::new();
                let read = sentence.tree(&mut labels);
                assert_eq!(&Decoder::new(root).decode(&read, |label| labels.text(label), &mut kinds), tree);
                for token in sentence.tokens() {
                    assert_ne!(sentence.value(token, Role::CoarseTag), "_");
                }
            }
        }
    }
}

#[test]
fn damaged_copies_keep_what_is_left() {
    for (name, source) in SAMPLES {
        let language = language::by_name(name).unwrap();
        let mut kinds = Kinds::new();
        let original = parse(name, source.as_bytes(), &mut kinds);
        let root = kinds.intern(language.root);
        let error = kinds.intern(quaich_code::grammar::ERROR);
        for (kind, damage, _) in DAMAGES {
            let copy =
                |seed| damage.apply(language, source.as_bytes(), &original.tokens, &mut Random::new(seed, 1));
            assert_eq!(copy(1), copy(1));
            let mut sources = Vec::new();
            for seed in 0..20 {
                let Some(damaged) = copy(seed) else {
                    assert_eq!((kind, language.macros), ("macro", false));
                    continue;
                };
                assert_ne!(damaged.source(), source.as_bytes(), "{name} {kind}");
                let parsed = parse(name, damaged.source(), &mut kinds);
                let alignment = Alignment::new(&damaged, &original.tokens, &parsed.tokens);
                for (old, new) in alignment.pairs() {
                    let (old, new) = (original.tokens[old as usize], parsed.tokens[new as usize]);
                    assert_eq!(old.text(source.as_bytes()), new.text(damaged.source()));
                }
                let carried = alignment.carry_over(&original.analysis.tree, root);
                assert_eq!(carried.n_tokens(), parsed.tokens.len());
                assert!(carried.is_continuous());
                let mut encoder = encoder(quaich_code::HeadRule::Term);
                let encoded = encoder.encode(&carried, &parsed.names, &kinds);
                let mut shapes = Shapes::default();
                shapes.read(&encoded).unwrap();
                assert!(shapes.is_projective());
                // What is carried over is right where it can be.
                let (gold, system) = alignment.common(&original.analysis.tree, &carried, root);
                let mut score = TreeScore::default();
                score.add(&gold, &system, error, |_| true);
                assert_eq!(score.brackets.matched, score.brackets.gold, "{name} {kind}");
                assert_eq!(score.brackets.matched, score.brackets.system, "{name} {kind}");
                sources.push(damaged.source().to_vec());
            }
            let n = sources.len();
            sources.sort_unstable();
            sources.dedup();
            assert!(n == 0 || sources.len() > 1, "{name} {kind}");
        }
    }
}

#[test]
fn the_tree_of_a_file_with_macros_is_that_without_them() {
    let cpp = language::by_name("cpp").unwrap();
    let mut parser = SourceParser::new(cpp, Kinds::new()).unwrap();
    let source = "#ifndef W_API\n#define W_API\n#endif\nclass W_API Widget : public Base {\npublic:\n  \
                  W_SLOTS(int,\n 2) int f(int size = MAX_SIZE) W_NOEXCEPT;\n};\n";
    let file = Blanked::find(&mut parser, source.as_bytes()).unwrap().expect("the errors are due to macros");
    let expected = "#ifndef W_API\n#define W_API\n#endif\nclass       Widget : public Base {\npublic:\n  \
                  \x20           \n    int f(int size = MAX_SIZE)           ;\n};\n";
    assert_eq!(String::from_utf8_lossy(&file.source), expected);
    assert_eq!(file.n_macros(), 3);
    let trial = Trial::of_macros(&mut parser, &file).unwrap();
    assert_eq!(trial.damaged.source(), source.as_bytes());
    let right = trial.score(&file.parsed, &trial.right_tree(&file.parsed)).brackets;
    assert_eq!((right.matched, right.system), (right.gold, right.gold));
    let grammar = trial.score(&file.parsed, &trial.copy.analysis.tree).brackets;
    assert!(grammar.matched < right.matched, "{grammar:?} {right:?}");

    // No errors, errors of another kind, and another language.
    let is_found =
        |parser: &mut SourceParser, source: &str| Blanked::find(parser, source.as_bytes()).unwrap().is_some();
    assert!(!is_found(&mut parser, "int x = MAX_SIZE;\n"));
    assert!(!is_found(&mut parser, "class W_API Widget { int x = ; } }\n"));
    assert!(!is_found(&mut parser, ""));
    let java = language::by_name("java").unwrap();
    assert!(!is_found(&mut SourceParser::new(java, Kinds::new()).unwrap(), "class W_API Widget {}\n"));
}

#[test]
fn an_undamaged_file_keeps_its_tree() {
    use quaich_code::placement::{Placed, place};
    for (name, source) in SAMPLES {
        let mut kinds = Kinds::new();
        let parsed = parse(name, source.as_bytes(), &mut kinds);
        let placed = (0..).zip(&parsed.tokens);
        let placed: Vec<Placed> =
            placed.map(|(i, token)| Placed::of_layout(token.tag).unwrap_or(Placed::Token(i))).collect();
        assert_eq!(place(&parsed.analysis.tree, &placed, Kind::NONE), parsed.analysis.tree, "{name}");
    }
}

#[test]
fn deep_and_long_files() {
    let parentheses = format!("x = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let operators = format!("x = a{}\n", " + a".repeat(20_000));
    let braces = "{".repeat(200_000);
    for (name, source) in [("python", parentheses), ("python", operators), ("c", braces)] {
        let mut kinds = Kinds::new();
        let parsed = parse(name, source.as_bytes(), &mut kinds);
        let root = kinds.intern(language::by_name(name).unwrap().root);
        let tree = &parsed.analysis.tree;
        for rule in rules(&[(tree.clone(), parsed.names.clone())], &mut kinds) {
            let mut encoder = encoder(rule);
            let encoded = encoder.encode(tree, &parsed.names, &kinds);
            let decoded =
                Decoder::new(root).decode(&encoded, |label| encoder.label_symbols().text(label), &mut kinds);
            assert!(decoded == *tree);
        }
    }
}

/// The lexers have lists of their own, so that they work without a grammar. They must not lack what a grammar has.
#[test]
fn lexers_know_the_symbols_of_grammars() {
    for language in LANGUAGES {
        let grammar = language.grammar.unwrap()();
        let mut missing = Vec::new();
        for id in 0..u16::try_from(grammar.node_kind_count()).unwrap() {
            let Some(name) = grammar
                .node_kind_for_id(id)
                .filter(|_| grammar.node_kind_is_visible(id) && !grammar.node_kind_is_named(id))
            else {
                continue;
            };
            // What is no single token of the lexer: quotes, line ends, two words, and what a context decides about.
            if name.contains(|char: char| "\"'\n\\ ".contains(char))
                || ["/*", "*/", "//"].contains(&name) && language.name == "rust"
            {
                continue;
            }
            let tokens = Lexer::new(language).tokens(name.as_bytes()).unwrap();
            let tags: Vec<&str> = tokens
                .iter()
                .map(|token| language.tag_name(token.tag))
                .filter(|tag| *tag != "LINE")
                .collect();
            if tags != [name] {
                missing.push(name);
            }
        }
        missing.sort_unstable();
        missing.dedup();
        // Words that are keywords in some places only, extensions of compilers, and brackets that may be two.
        let expected = match language.name {
            "java" => {
                ">> >>= >>> >>>= exports module non-sealed open opens permits provides record requires sealed to transitive \
                 uses when with yield"
            }
            "c" => {
                "[[ ]] _Nonnull __alignof __alignof__ __asm __attribute __based __cdecl __clrcall __declspec __except \
                 __fastcall __finally __forceinline __leave __stdcall __thiscall __thread __try __unaligned __vectorcall \
                 _alignof _unaligned noreturn offsetof"
            }
            "cpp" => {
                "() >> >>= [[ [] ]] _Nonnull __alignof __alignof__ __asm __attribute __based __cdecl __clrcall __declspec \
                 __except __fastcall __finally __forceinline __leave __stdcall __thiscall __thread __try __unaligned \
                 __vectorcall _alignof _unaligned final noreturn offsetof override restrict"
            }
            "python" => "_ __future__ case exec match print type",
            "rust" => {
                "&& >> >>= _ block default expr expr_2021 gen ident item lifetime literal meta pat pat_param path raw stmt \
                 try tt ty union vis yield ||"
            }
            other => panic!("a list for {other}"),
        };
        assert_eq!(missing.join(" "), expected, "{}", language.name);
    }
}
