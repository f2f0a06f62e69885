//! What the fuzz targets run, and what the tests run on the targets' corpus: any bytes through
//! everything that reads, and whatever comes of them through everything that shows.

#[path = "models.rs"]
mod models;

use std::io::Cursor;

use quaich::draw::{Picture, svg, terminal, tree_view};
use quaich::features::{FeatureModel, MaltOptions, Notation, Template};
use quaich::transform::Specification;
use quaich::transition::configuration::Configuration;
use quaich::transition::gold::Gold;
use quaich::transition::malt;
use quaich::transition::oracle::derive;
use quaich::transition::spec::SystemSpec;
use quaich::transition::systems::{Options, System};
use quaich::treebank::convert::Converter;
use quaich::treebank::formats::{FORMATS, custom};
use quaich::treebank::{
    Error, FormatChoice, Label, Level, ReadOptions, Reader, Result, Source, Symbols, Validator,
};
use quaich::{Settings, Trainer};

pub(crate) use models::{changed_model, n_kinds};

/// A treebank of any bytes, in the format it seems to have and in every other.
pub(crate) fn read(bytes: &[u8]) {
    let _ = read_as(bytes, None);
    for format in FORMATS {
        let result = read_as(bytes, Some(FormatChoice::Known(*format)));
        // A given format is not recognised, so only the stream and its encoding can fail.
        let is_undecodable = |error: &Error| matches!(error, Error::Malformed { problem, .. } if problem.code == "undecodable");
        let is_known = |error: &Error| matches!(error, Error::Io { .. }) || is_undecodable(error);
        assert!(result.as_ref().err().is_none_or(is_known), "{result:?}");
    }
}

/// A format file of any text.
pub(crate) fn format_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(layout) = custom::parse(text, "fuzz") else { return };
    let treebank = b"1\ta\t_\tN\tN\t_\t0\tROOT\t_\t_\n\n# c\na b c d\n1-2 x\n\n";
    let _ = read_as(treebank, Some(FormatChoice::Custom(layout.into())));
}

/// A feature model of any text: what is understood is written as it is read, and can be learned from.
pub(crate) fn templates(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(template) = Template::parse(text) {
        assert_eq!(Template::parse(&template.to_string()), Ok(template));
    }
    if let Ok(model) = FeatureModel::parse(text) {
        learn_with(&model);
    }
}

/// A feature model of `MaltParser`'s of any text, in either notation: what is understood can be written in ours, and learned from.
pub(crate) fn malt_features(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for notation in [Notation::MaltXml, Notation::MaltPar] {
        if let Ok(model) = notation.parse(text, MaltOptions::default()) {
            for template in model.transition.iter().chain(&model.label) {
                let written = template.to_string();
                assert_eq!(Template::parse(&written).as_ref(), Ok(template), "{written}");
            }
            learn_with(&model);
        }
    }
}

fn learn_with(model: &FeatureModel) {
    // Training time grows with the number of features; large models would only slow down the fuzzer.
    if model.transition.len() + model.label.len() > 40 {
        return;
    }
    let learners = [
        ["learner=linear", "linear.folds=0", "linear.epochs=1"],
        ["learner=perceptron", "perceptron.epochs=1", "perceptron.megabytes=1"],
    ];
    for learner in learners {
        let fixed = ["held-out=no"].into_iter().chain(learner);
        let settings = fixed.into_iter().try_fold(Settings::default(), |settings, one| settings.with(one));
        let settings = settings.expect("settings");
        let sentences = &models::sentences()[..2];
        if let Ok(parser) = Trainer::new(&settings).features(model.clone()).train(sentences) {
            assert!(parser.worker().parse(&sentences[1]).is_well_formed());
        }
    }
}

/// A transition system, a transformation or `MaltParser`'s flags, of any text.
pub(crate) fn specification(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(spec) = text.parse::<SystemSpec>() {
        assert_eq!(spec.to_string().parse::<SystemSpec>().expect("a system"), spec);
        follow(&*spec.build(Options::default()));
    }
    if let Ok(settings) = malt::MaltSystemOptions::parse(text) {
        follow(&*settings.build(Label::NONE));
    }
    // Files that it names are not read.
    if let Ok(transform) = text.parse::<Specification>().and_then(|spec| spec.build(&[])) {
        let (mut labels, mut scratch) = (Symbols::new(), quaich::transform::Scratch::default());
        for sentence in models::sentences() {
            let mut tree = sentence.tree(&mut labels);
            if transform.apply(sentence, &mut tree, &mut labels, &mut scratch).is_ok() {
                transform.inverse(&mut labels).invert(sentence, &mut tree, &mut scratch);
                assert!(tree.is_well_formed());
            }
        }
    }
}

/// Settings of any text: one a line, and all as a file.
pub(crate) fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for settings in [
        text.lines().try_fold(Settings::default(), |settings, line| settings.with(line)),
        Settings::default().with_toml(text),
    ] {
        let Ok(settings) = settings else { continue };
        let again = Settings::default().with_toml(&settings.to_toml());
        assert_eq!(again.expect("settings that were checked"), settings);
    }
}

/// The static oracle of a system for some trees.
fn follow(system: &dyn System) {
    let (mut gold, mut c, mut labels) = (Gold::new(), Configuration::new(), Symbols::new());
    for sentence in models::sentences() {
        derive(system, &sentence.tree(&mut labels), &mut gold, &mut c);
    }
}

fn read_as(bytes: &[u8], format: Option<FormatChoice>) -> Result<()> {
    let options = ReadOptions { format, ..ReadOptions::default() };
    let source = Source::from_stream(Cursor::new(bytes.to_vec()), "fuzz".to_owned(), None)?;
    let mut reader = Reader::new(source, &options)?;
    let mut validator = Validator::new(reader.format().known());
    let (mut sentence, mut problems) = (reader.sentence(), Vec::new());
    let mut written = Vec::new();
    let mut same = Converter::new((**reader.layout()).clone());
    let mut others: Vec<Converter> = FORMATS.iter().map(|format| Converter::new(format.layout())).collect();
    let mut is_utf8 = true;
    while reader.read_with_problems(&mut sentence, &mut problems)? {
        validator.check(&sentence, &mut problems);
        for problem in problems.drain(..) {
            is_utf8 &= problem.code != "invalid-utf8";
            assert!(problem.line >= sentence.first_line() && problem.column >= 1, "{problem:?}");
            assert!(!problem.message.is_empty() && !problem.help.is_empty(), "{problem:?}");
            if problem.level == Level::Error {
                let _ = reader.malformed(&sentence, problem).to_string();
            }
        }
        same.write(&sentence, &mut written);
        for other in &mut others {
            other.write(&sentence, &mut Vec::new());
        }
        // Drawing takes memory quadratic in the length; long sentences would only slow down the fuzzer.
        if sentence.n_tokens() < 200 {
            show(&Picture::of(&sentence));
        }
        let mut replaced = Vec::new();
        sentence.write_replacing(&mut replaced, &[0], |token, column, out| {
            out.extend_from_slice(sentence.cell(token, column).as_bytes());
        });
        assert_eq!(replaced, sentence.text().as_bytes(), "replacing cells by themselves changes nothing");
    }
    validator.finish(&mut problems);
    // Even a broken treebank comes out as it went in, as long as it is text in the encoding that is written.
    if is_utf8 && !is_compressed(bytes) && !is_utf16(bytes) {
        assert_eq!(written, bytes, "what is read is written");
    }
    Ok(())
}

fn show(picture: &Picture) {
    for (ascii, colour) in [(false, true), (true, false)] {
        let options = terminal::Options { ascii, colour };
        let _ = tree_view::draw(picture, options);
        let _ = terminal::draw(picture, options);
    }
    let _ = svg::page(&[("title".to_owned(), picture.clone())]);
}

/// Whether text begins with a byte-order mark of sixteen bits.
fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xfe, 0xff]) || bytes.starts_with(&[0xff, 0xfe])
}

fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}
