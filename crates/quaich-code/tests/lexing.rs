//! Lexers on examples of every language and on any bytes.

use proptest::prelude::*;
use quaich_code::{LANGUAGES, Lexer, language};

/// Returns the tokens, each with its tag where that is not its text.
fn shown(language: &str, source: &str) -> String {
    let language = language::by_name(language).unwrap();
    let tokens = Lexer::new(language).tokens(source.as_bytes()).unwrap();
    let show = |token: &quaich_code::Token| {
        let text = String::from_utf8_lossy(token.text(source.as_bytes())).into_owned();
        let tag = language.tag_name(token.tag);
        if text.is_empty() || text == tag { tag.to_owned() } else { format!("{text}:{tag}") }
    };
    tokens.iter().map(show).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(language: &str, source: &str, expected: &str) {
    assert_eq!(shown(language, source), expected);
}

#[test]
fn java() {
    check("java", "int x = a.b(1, 'c') // d\n;", "int x:IDENT = a:IDENT . b:IDENT ( 1:INT , 'c':CHAR ) ;");
    check(
        "java",
        "List<List<A>> l; a >>= 0x1F;",
        "List:IDENT < List:IDENT < A:IDENT > > l:IDENT ; a:IDENT > >= 0x1F:HEX ;",
    );
    check(
        "java",
        "@interface A { @B int c() default 1.5e-3f; }",
        "@interface A:IDENT { @ B:IDENT int c:IDENT ( ) default 1.5e-3f:FLOAT ; }",
    );
    check("java", "/* a */ \"b\\\"\" /* c", "\"b\\\"\":STRING / * c:IDENT");
    check("java", "s = \"\"\"\n a \"b\" \"\"\";", "s:IDENT = \"\"\"\n a \"b\" \"\"\":STRING ;");
    check("java", "1.f 1. .5 017 1_000L 0b1", "1.f:FLOAT 1.:FLOAT .5:FLOAT 017:OCT 1_000L:INT 0b1:BIN");
}

#[test]
fn c_and_cpp() {
    check(
        "c",
        "#include <a/b.h>\n# define X\nint x;",
        "#include <a/b.h>:STRING LINE # define:#define X:IDENT LINE int x:IDENT ;",
    );
    check(
        "c",
        "#define F(a, b) a + \\\n  \"//\" b /* c */\n#pragma once // d\n#if X && \\\n Y\nz\n#endif",
        "#define F:IDENT ( a:IDENT , b:IDENT ) a + \\\n  \"//\" b:BODY LINE #pragma:DIRECTIVE once:BODY LINE \
         #if X:IDENT && Y:IDENT LINE z:IDENT #endif LINE",
    );
    check(
        "c",
        "#define F (a)\n#define\n#\nx # y",
        "#define F:IDENT (a):BODY LINE #define LINE # x:IDENT # y:IDENT",
    );
    check("c", "u8\"a\" L'b' 1'000u don't", "u8\"a\":STRING L'b':CHAR 1'000u:INT don:IDENT ':OTHER t:IDENT");
    check("c", "// a \\\n b\nc \"d\ne", "c:IDENT \"d:STRING e:IDENT");
    check("cpp", "auto s = R\"x(a)\" )x\" >> 1;", "auto s:IDENT = R\"x(a)\" )x\":STRING > > 1:INT ;");
    check("cpp", "R\"( a\nb", "R:IDENT \"( a:STRING b:IDENT");
    check("cpp", "a<=>b ->* 0x1p-3 0xE+1", "a:IDENT <=> b:IDENT ->* 0x1p-3:FLOAT 0xE:HEX + 1:INT");
}

#[test]
fn python() {
    check(
        "python",
        "if a:\n  # b\n\n  c(1,\n2)\n  d\nelse: e\n",
        "if a:IDENT : LINE INDENT c:IDENT ( 1:INT , 2:INT ) LINE d:IDENT LINE DEDENT else : e:IDENT LINE",
    );
    check("python", "a\n    b\n  c\nd", "a:IDENT LINE INDENT b:IDENT LINE c:IDENT LINE DEDENT d:IDENT LINE");
    check("python", "  a\nb", "INDENT a:IDENT LINE DEDENT b:IDENT LINE");
    check("python", "a = \\\n 1; b", "a:IDENT = 1:INT ; b:IDENT LINE");
    check("python", "x: y\n\tz\n        w", "x:IDENT : y:IDENT LINE INDENT z:IDENT LINE w:IDENT LINE DEDENT");
    // A lost bracket joins lines only up to the next statement.
    check("python", "a(b\nc\ndef d(): pass", "a:IDENT ( b:IDENT c:IDENT LINE def d:IDENT ( ) : pass LINE");
    check("python", "a(b\n  for c in d)\ne", "a:IDENT ( b:IDENT for c:IDENT in d:IDENT ) LINE e:IDENT LINE");
    check(
        "python",
        "rb'a' F\"b{c[\"d\"]}\" f'{{x}' f'{x' '",
        "rb'a':STRING F\"b{c[\"d\"]}\":STRING f'{{x}':STRING f'{x':STRING ':STRING LINE",
    );
    check("python", "'''a\n'b''' \"\"\"c\nd", "'''a\n'b''':STRING \"\":STRING \"c:STRING LINE d:IDENT LINE");
    check("python", "1if x else 1j 0xff", "1:INT if x:IDENT else 1j:INT 0xff:HEX LINE");
    check("python", "", "");
    check("python", "# a\n", "");
}

#[test]
fn rust() {
    check(
        "rust",
        "fn f<'a>(x: &'a str) -> u8 { b'\\'' }",
        "fn f:IDENT < 'a:LIFETIME > ( x:IDENT : & 'a:LIFETIME str:IDENT ) -> u8:IDENT { b'\\'':CHAR }",
    );
    check(
        "rust",
        "r#\"a\"b\"# r#type 'x' '\\u{1F600}' 'é' '('",
        "r#\"a\"b\"#:STRING r#type:IDENT 'x':CHAR '\\u{1F600}':CHAR 'é':CHAR '(':CHAR",
    );
    check(
        "rust",
        "p.0.1 1..2 1.max(2) 1. 2.5f32 a && b || c f(|| &&d)",
        "p:IDENT . 0:INT . 1:INT 1:INT .. 2:INT 1:INT . max:IDENT ( 2:INT ) 1.:FLOAT 2.5f32:FLOAT a:IDENT && b:IDENT || c:IDENT f:IDENT ( | | & & d:IDENT )",
    );
    check("rust", "/* a /* b */ c */ macro_rules! m", "macro_rules! m:IDENT");
    check("rust", "\"a\nb\" \"c\nd", "\"a\nb\":STRING \"c:STRING d:IDENT");
}

/// Bytes as they are in source files, and any.
fn sources() -> impl Strategy<Value = Vec<u8>> {
    let parts = [
        " ",
        "\n",
        "\r\n",
        "\t",
        "\\\n",
        "\\",
        "\"",
        "'",
        "\"\"\"",
        "/*",
        "*/",
        "//",
        "#",
        "#define X",
        "#include <",
        "(",
        ")",
        "{",
        "}",
        ">>",
        "a",
        "f'",
        "r#\"",
        "R\"x(",
        "0x1",
        "1.",
        ".5",
        "if",
        "def",
        "class",
        ":",
        "é",
        "\u{feff}",
        "\u{a0}",
        "٣",
        "…",
        "::",
        "\x0c",
    ];
    let part = prop_oneof![
        9 => proptest::sample::select(parts.to_vec()).prop_map(|part| part.as_bytes().to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    proptest::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn tokens_are_spans_in_order(source in sources()) {
        for language in LANGUAGES {
            let lexer = Lexer::new(language);
            let tokens = lexer.tokens(&source).unwrap();
            let mut end = 0;
            let mut depth = 0_i32;
            for token in &tokens {
                prop_assert!(end <= token.start && token.start <= token.end);
                prop_assert_eq!(token.start == token.end, token.tag.is_layout());
                end = token.end;
                match language.tag_name(token.tag) {
                    "INDENT" => depth += 1,
                    "DEDENT" => depth -= 1,
                    _ => {}
                }
                prop_assert!(depth >= 0);
            }
            prop_assert_eq!(depth, 0);
            prop_assert!(end as usize <= source.len());
            prop_assert_eq!(lexer.tokens(&source).unwrap(), tokens);
        }
    }
}

#[test]
fn large_files_are_rejected() {
    let lexer = Lexer::new(language::by_name("c").unwrap());
    let error = lexer.tokens(&b"a ".repeat(6_000_001)).unwrap_err();
    assert_eq!(error.to_string(), "found 6000001 tokens, expected at most 6000000 in a source file");
}
