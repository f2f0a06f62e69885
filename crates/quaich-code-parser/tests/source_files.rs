//! Models of source code, from files to trees.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use quaich_code::damage::DAMAGES;
use quaich_code::files::{Found, find};
use quaich_code::language::by_name;
use quaich_code::{Copies, Language, Lexer};
use quaich_code_parser::{
    By, Choice, CodeModel, CodeParser, Error, SentenceOptions, TrainedOn, TrainingFiles, With, retag,
};
use quaich_parser::{Settings, Trainer};
use quaich_treebank::Treebank;
use quaich_treebank::formats::conllu;

/// Writes small files of Python into a folder.
fn write_files(folder: &Path, n: usize) {
    for number in 0..n {
        let (a, b) = (number % 7, number % 5);
        let text = format!(
            "import m{a}\n\ndef f{number}(x, y={a}):\n    if x > {b}:\n        return g(x, [y, {a}])\n    \
             for i in range({b}):\n        x += i * {a}\n    return x\n\nclass C{number}(B{a}):\n    \
             def h(self):\n        self.z = f{number}({b})\n"
        );
        fs::write(folder.join(format!("{number:03}.py")), text).unwrap();
    }
}

fn options(n_copies: usize) -> SentenceOptions {
    let kinds = DAMAGES.map(|(_, damage, _)| damage).to_vec();
    let copies = Copies { number: n_copies, kinds, seed: 1 };
    SentenceOptions {
        rule: "term".to_owned(),
        columns: true,
        copies,
        max_tokens: usize::MAX,
        holds_out: true,
    }
}

fn settings() -> Settings {
    let all = ["learner=perceptron", "perceptron.epochs=3", "perceptron.megabytes=16", "transform=none"];
    all.iter().fold(Settings::default(), |settings, one| settings.with(one).unwrap())
}

fn train(language: &'static Language, folder: &Path) -> (CodeModel, Vec<Found>) {
    let files = find(&[folder], Some(language)).unwrap();
    let mut n_read = 0;
    let data = TrainingFiles::read(language, &files, &options(2), || n_read += 1).unwrap();
    assert_eq!(n_read, files.len() - data.held_out.len());
    assert_eq!((data.n_files, data.failures.len()), (n_read, 0));
    assert_eq!(data.sentences.len(), data.n_files + data.n_copies);
    let model = Trainer::new(&settings()).train(&data.sentences).unwrap();
    let trained_on = TrainedOn { language, head_rule: "term", has_columns: true };
    (CodeModel::new(model, trained_on), data.held_out)
}

#[test]
fn a_model_knows_its_language_and_parses_files_with_errors() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), 40);
    let language = by_name("python").unwrap();
    let (model, held_out) = train(language, folder.path());
    assert_eq!(held_out.len(), 4);
    let mut n_files = 0;
    let chosen = model.choose(&held_out, 1, || n_files += 1).unwrap();
    assert_eq!(n_files, 4);
    let same = model.choose(&held_out, 1, || ()).unwrap();
    assert_eq!((same.choice, same.to_string()), (chosen.choice, chosen.to_string()));
    let [grammar, _, hybrid] = chosen.scores;
    assert!(hybrid >= grammar, "{chosen}");
    let model = model.with_choice(Choice { replace_from: 10.5, fills: true });

    // All of it is in the file.
    let bytes = model.model().to_bytes().unwrap();
    let again = quaich_parser::Model::from_bytes(&bytes, "m").unwrap();
    let model = CodeModel::of(again, "m", None).unwrap();
    assert_eq!((model.language().name, model.has_columns()), ("python", true));
    assert_eq!(model.choice(), Choice { replace_from: 10.5, fills: true });

    let mut parser = model.parser().unwrap();
    let mut by = |source: &str, with: With| {
        let parsed = parser.parse(source.as_bytes(), with).unwrap();
        assert_eq!(parsed.tree.n_tokens(), parsed.tokens.len());
        assert!(parsed.tree.is_continuous());
        parsed.by
    };
    let (sound, broken) = ("def f(x):\n    return x\n", "def f(x:\n    return x)\n\nx = 1 1\n");
    assert_eq!(by(sound, With::Auto), By::Grammar);
    assert_eq!(by(sound, With::Model), By::Model);
    assert_eq!(by(broken, With::Grammar), By::Recovery);
    assert!(matches!(by(broken, With::Auto), By::Hybrid { regions: 1.., .. }));
    assert_eq!(by("", With::Auto), By::Grammar);
    assert_eq!(by("", With::Model), By::Model);
    assert_eq!(by("# no code\n", With::Model), By::Model);

    // Without a model, the grammar is all there is.
    let mut grammar = CodeParser::of_language(language).unwrap();
    assert_eq!(grammar.parse(broken.as_bytes(), With::Auto).unwrap().by, By::Recovery);
    assert!(matches!(grammar.parse(b"", With::Model), Err(Error::NothingToParseWith { .. })));
}

#[test]
fn anything_that_a_file_can_have_is_parsed_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), 10);
    let (model, held_out) = train(by_name("python").unwrap(), folder.path());
    assert!(held_out.is_empty(), "few files are all trained on");
    let mut parser = model.parser().unwrap();
    // No function is recursive: nothing overflows.
    let nested = format!("x = {}1{} 2\n", "(".repeat(100_000), ")".repeat(100_000));
    let unclosed = "(".repeat(100_000);
    let operators = format!("x = a{} b\n", " + a".repeat(20_000));
    let no_text: Vec<u8> = (1..=255).cycle().take(5000).collect();
    for source in [nested.as_bytes(), unclosed.as_bytes(), operators.as_bytes(), &no_text] {
        for with in [With::Auto, With::Model] {
            let parsed = parser.parse(source, with).unwrap();
            assert_eq!(parsed.tree.n_tokens(), parsed.tokens.len());
            assert!(parsed.tree.is_continuous());
        }
    }
    let error = parser.parse(b"x = 1\0", With::Auto).unwrap_err().to_string();
    assert_eq!(error, "found a NUL byte at offset 5, expected source code");
}

#[test]
fn a_language_without_a_grammar_is_learned_from_examples() {
    // C++, as a build without its feature has it.
    let cpp = by_name("cpp").unwrap();
    let without: &'static Language = Box::leak(Box::new(Language { grammar: None, ..*cpp }));
    assert!(CodeParser::of_language(without).is_err());

    // Examples are sentences with any tags, such as those of a bracketed treebank.
    let example = |number: usize| {
        format!(
            "1\tint\t_\tT\tT\t_\t0\tprimitive|translation_unit\t_\t_\n2\tx{number}\t_\tN\tN\t_\t1\tdeclaration@1\t_\t_\n\
             3\t=\t_\tS\tS\t_\t2\t*@0\t_\t_\n4\t{number}\t_\tN\tN\t_\t3\t*@0\t_\t_\n5\t;\t_\tS\tS\t_\t2\t*@0\t_\t_\n\n"
        )
    };
    let text: String = (0..30).map(example).collect();
    let treebank = Treebank::from_text(&text).unwrap();
    let (lexer, layout) = (Lexer::new(without), Arc::new(conllu::layout()));
    let sentences: Vec<_> =
        treebank.iter().map(|sentence| retag(sentence, &lexer, &layout).unwrap()).collect();
    let expected = "1\tint\t_\tint\t_\t_\t0\tprimitive|translation_unit\t_\t_\n2\tx7\t_\tIDENT\t_\t_\t1\tdeclaration@1\t";
    assert!(sentences[7].text().starts_with(expected), "{}", sentences[7].text());
    let model = Trainer::new(&settings()).train(&sentences).unwrap();
    let trained_on = TrainedOn { language: without, head_rule: "unknown", has_columns: false };
    let model = CodeModel::new(model, trained_on);
    let mut parser = model.parser().unwrap();
    let parsed = parser.parse(b"int y = 7;\n", With::Auto).unwrap();
    assert_eq!(parsed.by, By::Model);
    let kinds: Vec<&str> = parsed.tree.kinds().iter().map(|&kind| parser.kinds().text(kind)).collect();
    assert_eq!(kinds, ["translation_unit", "primitive", "declaration"]);
    let error = parser.parse(b"int y;", With::Grammar).unwrap_err().to_string();
    assert!(error.starts_with("the grammar of cpp is not part of this program"), "{error}");
}

#[test]
fn files_with_errors_due_to_macros_are_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.hpp", "class A : public B {\n  int f();\n};\n");
    write("b.hpp", "class W_API C : public B {\n  int f();\n};\n");
    write("c.hpp", "class W_API D : public B {\n  int = ;\n};\n");
    let cpp = by_name("cpp").unwrap();
    let files = find(&[folder.path()], Some(cpp)).unwrap();
    let read = |n_copies| TrainingFiles::read(cpp, &files, &options(n_copies), || ()).unwrap();
    let data = read(1);
    assert_eq!((data.n_files, data.n_with_macros, data.with_errors), (2, 1, 1));
    let with_macros = data.sentences.last().unwrap().text();
    let labels: Vec<&str> = with_macros
        .lines()
        .filter_map(|line| line.split('\t').nth(7))
        .filter(|label| label.starts_with("class_specifier"))
        .collect();
    assert_eq!(labels, ["class_specifier@0"], "{with_macros}");
    let data = read(0);
    assert_eq!((data.n_files, data.n_with_macros, data.with_errors), (1, 0, 2));
}

#[test]
fn models_of_other_origin_are_named() {
    let text =
        "1\tCats\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n".repeat(10);
    let model = Trainer::new(&settings()).train(&Treebank::from_text(&text).unwrap()).unwrap();
    let error = CodeModel::of(model.clone(), "cats.quaich", None).unwrap_err().to_string();
    assert!(error.starts_with("cats.quaich: the model does not say which programming language"), "{error}");
    let python = by_name("python").unwrap();
    assert!(CodeModel::of(model.clone(), "cats.quaich", Some(python)).is_ok());
    let wrong = model.with_attribute("language", "python").with_attribute("replace-from", "much");
    let error = CodeModel::of(wrong, "m", None).unwrap_err().to_string();
    assert_eq!(error, "m: found `much` as replace-from, expected a number");
}

#[test]
fn the_same_files_make_the_same_sentences_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), 25);
    let python = by_name("python").unwrap();
    let found = find(&[folder.path()], Some(python)).unwrap();
    let read = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let data = pool.install(|| TrainingFiles::read(python, &found, &options(3), || ())).unwrap();
        data.sentences.iter().map(|sentence| sentence.text().to_owned()).collect::<String>()
    };
    assert!(read(1) == read(3));
}
