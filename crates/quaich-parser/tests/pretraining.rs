//! Pretraining on text: determinism, files, resuming, and training from a pretrained encoder.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quaich_parser::pretraining::{Overlap, PretrainedEncoder, Pretraining, TextFile, TextFiles, WordText};
use quaich_parser::{Checkpoint, Event, Model, Observer, Settings, Trainer, Unobserved};
use quaich_treebank::{ReadOptions, Treebank};

/// A text in which every word follows from its neighbours.
fn text(n_sentences: usize) -> WordText {
    let mut text = WordText::new(1_000_000);
    for number in 0..n_sentences {
        let subject = ["cats", "dogs", "birds"][number % 3];
        let verb = ["purr", "bark", "sing"][number % 3];
        text.add(["all", subject, verb, "here", "and", "all", "my", subject, verb, "there"]);
    }
    text
}

fn settings() -> Settings {
    let with = |settings: Settings, assignment: &str| settings.with(assignment).unwrap();
    ["encoder.units=16", "text.effort=0.5"].into_iter().fold(Settings::default(), with)
}

fn bytes(encoder: &PretrainedEncoder) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.encoder");
    encoder.save(&file).unwrap();
    std::fs::read(file).unwrap()
}

#[test]
fn hidden_words_are_learned_and_the_number_of_threads_changes_nothing() {
    let settings = settings().with("text.effort=2").unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Pretraining::new(&settings).run(&text(600)).unwrap())
    };
    let encoder = with(1);
    assert!(bytes(&encoder) == bytes(&with(3)));
    let description = encoder.description();
    assert_eq!((description.words, description.sentences, description.seen_words), (6000, 600, 240_000));
    assert_eq!(description.frequent[0], "all");
    // Eleven words as likely as they occur have a cross-entropy of 2.25.
    assert!(description.loss < 1.5, "{}", description.loss);
}

#[test]
fn a_file_has_what_was_saved_and_damage_is_found() {
    let encoder = Pretraining::new(&settings()).run(&text(200)).unwrap();
    let saved = bytes(&encoder);
    let loaded = PretrainedEncoder::from_bytes(&saved, "x").unwrap();
    assert!(bytes(&loaded) == saved);
    for at in (0..saved.len()).step_by(saved.len() / 50 + 1) {
        let mut damaged = saved.clone();
        damaged[at] ^= 0x10;
        // Spaces in the header may change.
        if let Ok(loaded) = PretrainedEncoder::from_bytes(&damaged, "x") {
            assert!(bytes(&loaded) == saved, "byte {at}");
        }
        assert!(PretrainedEncoder::from_bytes(&saved[..at], "x").is_err());
    }
    let error = Model::from_bytes(&saved, "x").unwrap_err().to_string();
    assert!(error.contains("it is a pretrained encoder"), "{error}");
}

/// Stops after some steps.
struct StopAfter(usize, AtomicUsize);

impl Observer for StopAfter {
    fn event(&self, event: &Event<'_>) {
        if matches!(event, Event::Step) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn stop(&self) -> bool {
        self.1.load(Ordering::Relaxed) >= self.0
    }
}

#[test]
fn an_interrupted_run_keeps_what_was_learned_and_resumes_with_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let run = |checkpoint: &Checkpoint, observer: &dyn Observer| {
        let settings = settings().with("text.effort=0.3").unwrap();
        Pretraining::new(&settings).checkpoint(checkpoint.clone()).observer(observer).run(&text(600)).unwrap()
    };
    let whole = run(&Checkpoint::default(), &Unobserved);
    assert!(!whole.description().interrupted);
    let checkpoint = Checkpoint::beside(&folder.path().join("x.encoder"));
    let part = run(&checkpoint, &StopAfter(2, AtomicUsize::new(0)));
    assert!(part.description().interrupted && part.description().seen_words < whole.description().seen_words);
    let resumed = run(&checkpoint, &Unobserved);
    assert!(bytes(&resumed) == bytes(&whole));
}

#[test]
fn an_encoder_is_trained_further_on_other_text() {
    let first = Pretraining::new(&settings()).run(&text(200)).unwrap();
    let mut other = WordText::new(100_000);
    for _ in 0..200 {
        other.add(["all", "fish", "swim", "here", "and", "all", "my", "fish", "swim", "there"]);
    }
    let run = || {
        Pretraining::new(&Settings::default().with("text.effort=0.5").unwrap()).continuing(&first).run(&other)
    };
    let second = run().unwrap();
    let (before, after) = (first.description(), second.description());
    assert_eq!(after.continued.as_ref(), Some(&before.fingerprint));
    assert_eq!((second.n_units(), after.known_forms), (16, before.known_forms + 2));
    assert!(bytes(&second) == bytes(&run().unwrap()));
    let wider = settings().with("encoder.units=24").unwrap();
    let error = Pretraining::new(&wider).continuing(&first).run(&other).unwrap_err();
    assert!(error.is_usage(), "{error}");
}

#[test]
fn too_little_text_is_an_error() {
    let error = Pretraining::new(&settings()).run(&text(99)).unwrap_err().to_string();
    assert_eq!(error, "the text has 990 words, expected at least 1000 to pretrain an encoder");
}

fn treebank() -> Treebank {
    let sentence = |subject: &str, verb: &str| {
        format!(
            "# text = all {subject} {verb}\n1\tall\tall\tDET\t_\t_\t2\tdet\t_\t_\n2\t{subject}\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n3\t{verb}\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
        )
    };
    let text: String =
        [("cats", "purr"), ("dogs", "bark"), ("birds", "sing")].iter().map(|(s, v)| sentence(s, v)).collect();
    Treebank::from_text(&text.repeat(8)).unwrap()
}

#[test]
fn models_start_from_an_encoder_and_take_over_its_size() {
    let encoder = Arc::new(Pretraining::new(&settings()).run(&text(200)).unwrap());
    let treebank = treebank();
    assert!((encoder.coverage(&treebank) - 100.0).abs() < 1e-9);
    let few_epochs = Settings::default().with("encoder.epochs=2").unwrap();
    let tagged = few_epochs.with("parts=parse").unwrap();
    let error = Trainer::new(&tagged).encoder(Arc::clone(&encoder)).train(&treebank).unwrap_err();
    assert!(error.to_string().contains("encoder.pretrained = all"), "{error}");
    let few_epochs = few_epochs.with("encoder.pretrained=all").unwrap();
    for parts in ["parse", "all"] {
        let settings = few_epochs.with(&format!("parts={parts}")).unwrap();
        let train = || Trainer::new(&settings).encoder(Arc::clone(&encoder)).train(&treebank).unwrap();
        let model = train();
        let saved = model.to_bytes().unwrap();
        assert!(saved == train().to_bytes().unwrap());
        assert!(Model::from_bytes(&saved, "x").unwrap().to_bytes().unwrap() == saved);
        let pretraining = model.description().pretraining.as_deref();
        assert_eq!(pretraining, Some(encoder.description()));
    }
    let ensemble = few_epochs.with("ensemble=six-over-two").unwrap().with("parts=parse").unwrap();
    Trainer::new(&ensemble).encoder(Arc::clone(&encoder)).train(&treebank).unwrap();
    let wider = few_epochs.with("encoder.units=24").unwrap();
    let error = Trainer::new(&wider).encoder(Arc::clone(&encoder)).train(&treebank).unwrap_err();
    assert!(error.to_string().contains("the pretrained encoder has 16"), "{error}");
    let linear = Settings::default().with("learner=linear").unwrap();
    let error = Trainer::new(&linear).encoder(Arc::clone(&encoder)).train(&treebank).unwrap_err();
    assert!(error.to_string().contains("has no encoder"), "{error}");
}

#[test]
fn models_are_pretrained_on_files_of_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text.txt");
    std::fs::write(&file, "all cats purr\nall dogs bark\nall birds sing\n\n".repeat(150)).unwrap();
    let file = TextFile { path: file, options: ReadOptions::default(), mode: None };
    let treebank = treebank();
    let files = TextFiles::new(vec![file.clone()]).reporting(Overlap::of("dev", &treebank));
    let mut settings = self::settings();
    for assignment in ["encoder.epochs=2", "parts=parse", "encoder.pretrained=all"] {
        settings = settings.with(assignment).unwrap();
    }
    let model = Trainer::new(&settings).text(&files).train(&treebank).unwrap();
    let pretraining = model.description().pretraining.clone().unwrap();
    // The words of the treebank are a part of the text.
    assert_eq!((pretraining.words, pretraining.known_forms), (1350 + 72, 7));
    let without = settings.with("text.effort=2").unwrap();
    let error = Trainer::new(&without).train(&treebank).unwrap_err();
    assert!(error.to_string().contains("no text to pretrain on"), "{error}");
    let report = TextFiles::new(vec![file]).read(None, 1_000_000, &Unobserved).unwrap();
    assert_eq!((report.words.n_words(), report.words.n_forms()), (1350, 7));
}

#[test]
fn files_without_text_are_found_before_training() {
    let folder = tempfile::tempdir().unwrap();
    let check = |contents: &[&[u8]]| {
        let files = contents.iter().enumerate().map(|(number, content)| {
            let path = folder.path().join(format!("{number}.txt"));
            std::fs::write(&path, content).unwrap();
            TextFile { path, options: ReadOptions::default(), mode: None }
        });
        TextFiles::new(files.collect()).check().map_err(|error| error.to_string())
    };
    assert_eq!(check(&[b"", b"all cats purr\n"]), Ok(()));
    let error = check(&[b"", b" \n\n"]).unwrap_err();
    assert!(error.contains("0.txt: found no words"), "{error}");
    let error = check(&[b"all cats purr\n", b"\x7fELF\x02\x01\x01\0\xff\xfe"]).unwrap_err();
    assert!(error.contains("1.txt:1:9: found a byte that is not UTF-8"), "{error}");
    let error = check(&[&b"a\x01\x02 b\x03\n".repeat(300)]).unwrap_err();
    assert!(error.contains("control characters"), "{error}");
    let folder = TextFile { path: folder.path().into(), options: ReadOptions::default(), mode: None };
    assert!(TextFiles::new(vec![folder]).check().is_err());
}
