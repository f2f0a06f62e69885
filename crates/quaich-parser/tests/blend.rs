//! Blends: trained, kept in one file, and parsing as any other model does.

use quaich_parser::blend::{BlendTrainer, LabelVote, Recipe};
use quaich_parser::settings::Auto;
use quaich_parser::{Checkpoint, Event, Observer, Parser, Settings, Trainer, Unobserved, train};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const DEV: &str = include_str!("../../../data/sample/dev.conllu");

/// Three parsers that are trained in a moment.
const RECIPE: &str = "
[[parser]]
system = 'arc-eager'
[[parser]]
system = 'rtl:covington'
[[parser]]
system = 'arc-hybrid'
";

fn read(text: &str) -> Vec<Sentence> {
    let source = Source::from_stream(std::io::Cursor::new(text.to_owned()), "test".to_owned(), None).unwrap();
    let reader = Reader::new(source, &ReadOptions::default()).unwrap();
    reader.sentences().collect::<Result<_, _>>().unwrap()
}

fn settings() -> Settings {
    ["learner=linear", "passes=2", "folds=0"]
        .iter()
        .fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

fn recipe() -> Recipe {
    Recipe::from_toml(RECIPE, &settings()).unwrap()
}

/// How many tokens get head and label right.
fn n_right(parser: &Parser, sentences: &[Sentence]) -> usize {
    let mut worker = parser.worker();
    let mut right = 0;
    for sentence in sentences {
        let tree = worker.parse(sentence);
        assert!(tree.is_well_formed());
        assert_eq!(tree.heads().iter().filter(|head| head.is_root()).count(), 1);
        right += sentence
            .tokens()
            .filter(|&token| {
                tree.head(token) == sentence.heads()[token.index()]
                    && parser.labels().text(tree.label(token)) == sentence.label(token)
            })
            .count();
    }
    right
}

/// Takes down what is told of votes.
#[derive(Default)]
struct Votes(std::sync::Mutex<Vec<(Vec<f64>, f64, f64)>>);

impl Observer for Votes {
    fn event(&self, event: &Event<'_>) {
        if let Event::Voted { parsers, equal, weighted } = event {
            self.0.lock().unwrap().push((parsers.to_vec(), *equal, *weighted));
        }
    }
}

#[test]
fn a_blend_is_better_than_its_parsers_and_stays_so_in_a_file() {
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let recipe = recipe();
    let votes = Votes::default();
    let blend =
        BlendTrainer::new(&recipe).dev(&dev).note("licence", "CC0").train(&sentences, &votes).unwrap();
    assert_eq!(blend.n_members(), 3);
    let told = votes.0.into_inner().unwrap();
    let [(parsers, equal, weighted)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(parsers.len(), 3);
    let mean = parsers.iter().sum::<f64>() / 3.0;
    assert!(*equal > mean && *weighted > mean, "{parsers:?} {equal} {weighted}");
    let alone = |system: &str| {
        let settings = settings().with(&format!("system={system}")).unwrap();
        n_right(&train(&sentences, &settings, &Unobserved).unwrap(), &dev)
    };
    let of_parsers = ["arc-eager", "rtl:covington", "arc-hybrid"].map(alone);
    let together = n_right(&blend, &dev);
    assert!(together > of_parsers.iter().sum::<usize>() / 3, "{together} of {of_parsers:?}");
    let n_tokens: usize = dev.iter().map(Sentence::n_tokens).sum();
    let [right, of] = [together, n_tokens].map(|n| f64::from(u32::try_from(n).unwrap()));
    assert!((blend.description().dev.unwrap().las - 100.0 * right / of).abs() < 1e-9);

    let again = Parser::from_bytes(&blend.to_bytes().unwrap(), "blend").unwrap();
    assert_eq!(again.to_bytes().unwrap(), blend.to_bytes().unwrap());
    let (mut one, mut other) = (blend.worker(), again.worker());
    let (mut out, mut out_again) = (Vec::new(), Vec::new());
    for sentence in &dev {
        one.parse_text(sentence, true, &mut out);
        other.parse_text(sentence, true, &mut out_again);
    }
    assert_eq!(out, out_again);
    assert!(String::from_utf8(out).unwrap().contains("Score="));
}

#[test]
fn the_same_blend_at_any_number_of_threads() {
    let sentences = read(TRAIN);
    let recipe = recipe();
    let train = || {
        let trainer = BlendTrainer::new(&recipe).labels(LabelVote::Afterwards);
        trainer.train(&sentences[..60], &Unobserved).unwrap().to_bytes().unwrap()
    };
    let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    assert!(pool(1).install(train) == pool(3).install(train));
}

#[test]
fn votes_can_be_equal_and_have_to_be_where_there_is_too_little_to_tell() {
    let sentences = read(TRAIN);
    let recipe = recipe();
    for (n, equal) in [(40, true), (19, false)] {
        let blend = BlendTrainer::new(&recipe).equal(equal).train(&sentences[..n], &Unobserved).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        blend.save(file.path()).unwrap();
        let description = quaich_parser::describe(file.path()).unwrap().blend.unwrap();
        assert!(description.weights.iter().all(|weights| weights.by_tag.is_empty()), "{n}");
    }
}

/// Who is told to stop has a blend all the same.
#[test]
fn an_interrupted_blend_parses() {
    struct Impatient;
    impl Observer for Impatient {
        fn stop(&self) -> bool {
            true
        }
    }
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let blend = BlendTrainer::new(&recipe()).train(&sentences, &Impatient).unwrap();
    assert!(blend.description().interrupted);
    n_right(&blend, &dev);
}

/// Each parser of a blend is the one that its settings make by themselves.
#[test]
fn parsers_of_a_blend_can_be_had_alone() {
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let text = "[[parser]]\nsystem = 'arc-eager'\nseed = 1\n[[parser]]\nsystem = 'rtl:planar'\nseed = 1\n";
    let recipe = Recipe::from_toml(text, &settings()).unwrap();
    let bytes = BlendTrainer::new(&recipe).train(&sentences[..80], &Unobserved).unwrap().to_bytes().unwrap();
    for (number, system) in [(1, "arc-eager"), (2, "rtl:planar")] {
        let only = Parser::from_bytes(&bytes, "blend").unwrap().only(number).unwrap();
        assert_eq!((only.n_members(), only.plan().system.to_string().as_str()), (1, system));
        let settings = settings().with(&format!("system={system}")).unwrap();
        let alone = train(&sentences[..80], &settings, &Unobserved).unwrap();
        assert_eq!(only.description().settings, settings);
        let (mut one, mut other) = (only.worker(), alone.worker());
        assert!(dev.iter().all(|sentence| one.parse(sentence).heads() == other.parse(sentence).heads()));
    }
    for number in [0, 3] {
        assert!(Parser::from_bytes(&bytes, "blend").unwrap().only(number).is_none());
    }
}

/// Where a format has no coarse tags, votes count by the others.
#[test]
fn votes_count_by_the_tags_that_there_are() {
    let rows = |sentence: &Sentence| {
        let row = |token: quaich_treebank::Node| {
            let fine = if sentence.form(token).ends_with('s') { "S" } else { "X" };
            let (head, label) = (sentence.heads()[token.index()].0, sentence.label(token));
            format!("{}\t{fine}\t{head}\t{label}\n", sentence.form(token))
        };
        sentence.tokens().map(row).collect::<String>() + "\n"
    };
    let text: String = read(TRAIN)[..100].iter().map(rows).collect();
    let source = Source::from_stream(std::io::Cursor::new(text), "test".to_owned(), None).unwrap();
    let options = ReadOptions::parse(Some("malttab"), None).unwrap();
    let sentences: Vec<Sentence> =
        Reader::new(source, &options).unwrap().sentences().collect::<Result<_, _>>().unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    BlendTrainer::new(&recipe()).train(&sentences, &Unobserved).unwrap().save(file.path()).unwrap();
    let blend = quaich_parser::describe(file.path()).unwrap().blend.unwrap();
    assert!(blend.weights.iter().all(|weights| weights.by_tag.keys().eq(["S", "X"])));
}

/// Two parsers that share an encoder, and one that has its own.
const SHARING: &str = "
[[parser]]
system = 'swap-lazy'
encoder = 1
[[parser]]
system = 'rtl:arc-hybrid'
encoder = 1
[[parser]]
system = 'arc-eager'
";

fn recipe_settings(passes: usize) -> Settings {
    let settings = Settings { recurrent_passes: Auto::Given(passes), ..Settings::default() };
    ["recurrent-units=16", "recurrent-networks=2", "recurrent-hidden=16"]
        .iter()
        .fold(settings, |settings, assignment| settings.with(assignment).unwrap())
}

fn sharing(passes: usize) -> Recipe {
    Recipe::from_toml(SHARING, &recipe_settings(passes)).unwrap()
}

/// What is shared is in the file once; each parser does the same with others and alone, in the file's parser and in that which was
/// trained.
#[test]
fn parsers_share_an_encoder() {
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let recipe = sharing(30);
    let blend = BlendTrainer::new(&recipe).train(&sentences, &Unobserved).unwrap();
    let bytes = blend.to_bytes().unwrap();
    let load = || Parser::from_bytes(&bytes, "blend").unwrap();
    assert_eq!(load().to_bytes().unwrap(), bytes);
    let alone = [1, 2, 3].map(|number| load().only(number).unwrap());
    let sizes = alone.each_ref().map(|parser| parser.to_bytes().unwrap().len());
    assert!(bytes.len() * 10 < (sizes[0] + sizes[2]) * 11, "{} of {sizes:?}", bytes.len());
    // A parser that has left the blend takes the encoder along.
    let second = Parser::from_bytes(&alone[1].to_bytes().unwrap(), "second").unwrap();
    let mut workers = alone.each_ref().map(Parser::worker);
    let again = load();
    let (mut second, mut trained, mut again) = (second.worker(), blend.worker(), again.worker());
    let mut probabilities = Vec::new();
    let (mut n_agreed, mut right) = (0, [0; 4]);
    for sentence in &dev {
        let trees = workers.each_mut().map(|worker| worker.parse(sentence).clone());
        assert_eq!(second.parse(sentence), &trees[1]);
        let winner = trained.parse(sentence).clone();
        assert_eq!(&winner, again.parse_with_scores(sentence, &mut probabilities));
        assert!(winner.is_well_formed());
        if trees[0].heads() == trees[1].heads() && trees[0].heads() == trees[2].heads() {
            assert_eq!(winner.heads(), trees[0].heads());
            n_agreed += 1;
        }
        let is_right = |tree: &quaich_treebank::Tree| {
            sentence.tokens().filter(|&token| tree.head(token) == sentence.heads()[token.index()]).count()
        };
        for (right, tree) in right.iter_mut().zip(trees.iter().chain([&winner])) {
            *right += is_right(tree);
        }
    }
    assert!(n_agreed > 0);
    assert!(right[3] > right[..3].iter().sum::<usize>() / 3, "{right:?}");
}

#[test]
fn parsers_that_share_are_the_same_at_any_number_of_threads() {
    let sentences = read(TRAIN);
    let recipe = sharing(6);
    let train =
        || BlendTrainer::new(&recipe).train(&sentences[..40], &Unobserved).unwrap().to_bytes().unwrap();
    let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    assert!(pool(1).install(train) == pool(3).install(train));
}

/// What parsers that share have done when they are told to stop is taken up again.
#[test]
fn a_blend_goes_on_from_what_was_kept() {
    struct Impatient(std::sync::atomic::AtomicUsize);
    impl Observer for Impatient {
        fn event(&self, event: &Event<'_>) {
            if let Event::Member { event: Event::Step, .. } = event {
                self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        }
        fn stop(&self) -> bool {
            self.0.load(std::sync::atomic::Ordering::Relaxed) > 7
        }
    }
    let sentences = read(TRAIN);
    let recipe = sharing(6);
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Checkpoint::beside(&folder.path().join("blend"));
    let train = |checkpoint: &Checkpoint, observer: &dyn Observer| {
        let trainer = BlendTrainer::new(&recipe).checkpoint(checkpoint.clone());
        trainer.train(&sentences[..40], observer).unwrap().to_bytes().unwrap()
    };
    let whole = train(&Checkpoint::default(), &Unobserved);
    assert!(train(&checkpoint, &Impatient(0.into())) != whole);
    assert!(folder.path().read_dir().unwrap().count() > 0);
    // What was kept of other parsers that share the encoder counts for nothing, though the first is the same.
    let other =
        Recipe::from_toml(&SHARING.replace("rtl:arc-hybrid", "arc-hybrid"), &recipe_settings(6)).unwrap();
    let other = |checkpoint: &Checkpoint| {
        let trainer = BlendTrainer::new(&other).checkpoint(checkpoint.clone());
        trainer.train(&sentences[..40], &Unobserved).unwrap().to_bytes().unwrap()
    };
    let kept = tempfile::tempdir().unwrap();
    for file in folder.path().read_dir().unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), kept.path().join(file.file_name())).unwrap();
    }
    assert!(other(&Checkpoint::beside(&kept.path().join("blend"))) == other(&Checkpoint::default()));
    assert!(train(&checkpoint, &Unobserved) == whole);
}

/// The setting that makes a parser a blend.
#[test]
fn a_setting_trains_the_usual_blend() {
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let blend = settings().with("blend=yes").unwrap();
    let parser = Trainer::new(&blend).dev(&dev).train(&sentences[..60], &Unobserved).unwrap();
    assert_eq!((parser.n_members(), &parser.description().settings), (6, &blend));
    let recipe = Recipe::usual(&blend).unwrap();
    let same = BlendTrainer::new(&recipe).dev(&dev).train(&sentences[..60], &Unobserved).unwrap();
    let (mut one, mut other) = (parser.worker(), same.worker());
    assert!(dev.iter().all(|sentence| one.parse(sentence) == other.parse(sentence)));
    let named = blend.with("system=arc-eager").unwrap();
    let error = Trainer::new(&named).train(&sentences[..60], &Unobserved).unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("blend train --parsers"), "{error}");
}
