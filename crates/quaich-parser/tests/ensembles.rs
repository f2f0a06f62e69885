//! Ensembles: training, saving in one file, and parsing like any other model.

use std::fmt::Write as _;

use quaich_parser::ensemble::LabelVote;
use quaich_parser::recipe::{DEFAULT_ENSEMBLE, Recipe};
use quaich_parser::{Checkpoint, Error, Event, Model, Observer, Settings, Trainer, Unobserved, train};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
const DEV: &str = include_str!("../../../data/sample/dev.conllu");

/// Three parsers that train in a moment.
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
    ["learner=linear", "linear.epochs=2", "linear.folds=0"]
        .iter()
        .fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

fn recipe() -> Recipe {
    Recipe::from_toml(RECIPE, &settings()).unwrap()
}

/// A trainer of these parsers.
fn trainer<'t>(recipe: &Recipe) -> Trainer<'t> {
    Trainer::default().recipe(recipe.clone())
}

/// The number of tokens with correct head and label.
fn n_right(parser: &Model, sentences: &[Sentence]) -> usize {
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

/// Records events about votes.
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
fn an_ensemble_is_better_than_its_parsers_and_stays_so_in_a_file() {
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let recipe = recipe();
    let votes = Votes::default();
    let ensemble =
        trainer(&recipe).dev(&dev).note("licence", "CC0").observer(&votes).train(&sentences).unwrap();
    assert_eq!(ensemble.n_members(), 3);
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
    let together = n_right(&ensemble, &dev);
    assert!(together > of_parsers.iter().sum::<usize>() / 3, "{together} of {of_parsers:?}");
    let n_tokens: usize = dev.iter().map(Sentence::n_tokens).sum();
    let [right, of] = [together, n_tokens].map(|n| f64::from(u32::try_from(n).unwrap()));
    assert!((ensemble.description().dev.unwrap().las - 100.0 * right / of).abs() < 1e-9);

    let again = Model::from_bytes(&ensemble.to_bytes().unwrap(), "ensemble").unwrap();
    assert_eq!(again.to_bytes().unwrap(), ensemble.to_bytes().unwrap());
    let (mut one, mut other) = (ensemble.worker(), again.worker());
    let (mut out, mut out_again) = (Vec::new(), Vec::new());
    for sentence in &dev {
        one.parse_text(sentence, true, &mut out);
        other.parse_text(sentence, true, &mut out_again);
    }
    assert_eq!(out, out_again);
    assert!(String::from_utf8(out).unwrap().contains("Score="));
}

#[test]
fn the_same_ensemble_at_any_number_of_threads() {
    let sentences = read(TRAIN);
    let recipe = recipe();
    let train = || {
        let trainer = trainer(&recipe).labels(LabelVote::Afterwards);
        trainer.train(&sentences[..60]).unwrap().to_bytes().unwrap()
    };
    let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    assert!(pool(1).install(train) == pool(3).install(train));
}

#[test]
fn votes_can_be_equal_and_have_to_be_where_there_is_too_little_to_tell() {
    let sentences = read(TRAIN);
    let recipe = recipe();
    for (n, equal) in [(40, true), (19, false)] {
        let ensemble = trainer(&recipe).equal(equal).train(&sentences[..n]).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        ensemble.save(file.path()).unwrap();
        let description = quaich_parser::describe(file.path()).unwrap().ensemble.unwrap();
        assert!(description.weights.iter().all(|weights| weights.by_tag.is_empty()), "{n}");
    }
}

/// Each parser of an ensemble is the same as one trained alone with its settings.
#[test]
fn parsers_of_an_ensemble_can_be_had_alone() {
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let text = "[[parser]]\nsystem = 'arc-eager'\nseed = 1\n[[parser]]\nsystem = 'rtl:planar'\nseed = 1\n";
    let recipe = Recipe::from_toml(text, &settings()).unwrap();
    let bytes = trainer(&recipe).train(&sentences[..80]).unwrap().to_bytes().unwrap();
    for (number, system) in [(1, "arc-eager"), (2, "rtl:planar")] {
        let only = Model::from_bytes(&bytes, "ensemble").unwrap().only(number).unwrap();
        assert_eq!((only.n_members(), only.plan().system.to_string().as_str()), (1, system));
        let settings = &recipe.settings()[number - 1];
        assert_eq!(&only.description().settings, settings);
        let alone = train(&sentences[..80], settings, &Unobserved).unwrap();
        let (mut one, mut other) = (only.worker(), alone.worker());
        assert!(dev.iter().all(|sentence| one.parse(sentence).heads() == other.parse(sentence).heads()));
    }
    for number in [0, 3] {
        assert!(Model::from_bytes(&bytes, "ensemble").unwrap().only(number).is_none());
    }
}

/// In formats without coarse tags, votes are weighted by fine tags.
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
    trainer(&recipe()).train(&sentences).unwrap().save(file.path()).unwrap();
    let ensemble = quaich_parser::describe(file.path()).unwrap().ensemble.unwrap();
    assert!(ensemble.weights.iter().all(|weights| weights.by_tag.keys().eq(["S", "X"])));
}

/// Two parsers that share an encoder, and one with its own.
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

fn recipe_settings(epochs: usize) -> Settings {
    let epochs = format!("encoder.epochs={epochs}");
    [&epochs, "encoder.units=16", "encoder.networks=2", "encoder.hidden=16"]
        .iter()
        .fold(Settings::default(), |settings, assignment| settings.with(assignment).unwrap())
}

fn sharing(epochs: usize) -> Recipe {
    Recipe::from_toml(SHARING, &recipe_settings(epochs)).unwrap()
}

/// A shared encoder is in the file once; each parser gives the same result in the ensemble and alone, before and after loading.
#[test]
fn parsers_share_an_encoder() {
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let recipe = sharing(30);
    let ensemble = trainer(&recipe).train(&sentences).unwrap();
    let bytes = ensemble.to_bytes().unwrap();
    let load = || Model::from_bytes(&bytes, "ensemble").unwrap();
    assert_eq!(load().to_bytes().unwrap(), bytes);
    let alone = [1, 2, 3].map(|number| load().only(number).unwrap());
    let sizes = alone.each_ref().map(|parser| parser.to_bytes().unwrap().len());
    assert!(bytes.len() * 10 < (sizes[0] + sizes[2]) * 11, "{} of {sizes:?}", bytes.len());
    // A parser extracted from the ensemble has its own copy of the encoder.
    let second = Model::from_bytes(&alone[1].to_bytes().unwrap(), "second").unwrap();
    let mut workers = alone.each_ref().map(Model::worker);
    let again = load();
    let (mut second, mut trained, mut again) = (second.worker(), ensemble.worker(), again.worker());
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
    let train = || trainer(&recipe).train(&sentences[..40]).unwrap().to_bytes().unwrap();
    let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    assert!(pool(1).install(train) == pool(3).install(train));
}

/// Interrupted training of parsers that share an encoder resumes.
#[test]
fn an_ensemble_goes_on_from_what_was_stored() {
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
    let checkpoint = Checkpoint::beside(&folder.path().join("ensemble"));
    let train = |checkpoint: &Checkpoint, observer: &dyn Observer| {
        let trainer = trainer(&recipe).checkpoint(checkpoint.clone()).observer(observer);
        trainer.train(&sentences[..40]).unwrap().to_bytes().unwrap()
    };
    let whole = train(&Checkpoint::default(), &Unobserved);
    assert!(train(&checkpoint, &Impatient(0.into())) != whole);
    assert!(folder.path().read_dir().unwrap().count() > 0);
    // Checkpoints of other parsers with the same encoder are ignored, even if the first one is the same.
    let other =
        Recipe::from_toml(&SHARING.replace("rtl:arc-hybrid", "arc-hybrid"), &recipe_settings(6)).unwrap();
    let other = |checkpoint: &Checkpoint| {
        let trainer = trainer(&other).checkpoint(checkpoint.clone());
        trainer.train(&sentences[..40]).unwrap().to_bytes().unwrap()
    };
    let kept = tempfile::tempdir().unwrap();
    for file in folder.path().read_dir().unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), kept.path().join(file.file_name())).unwrap();
    }
    assert!(other(&Checkpoint::beside(&kept.path().join("ensemble"))) == other(&Checkpoint::default()));
    assert!(train(&checkpoint, &Unobserved) == whole);
}

/// The setting that makes a model an ensemble.
#[test]
fn a_setting_trains_the_default_ensemble() {
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let ensemble = settings().with("ensemble=six-over-two").unwrap();
    let parser = Trainer::new(&ensemble).dev(&dev).train(&sentences[..60]).unwrap();
    assert_eq!((parser.n_members(), &parser.description().settings), (6, &ensemble));
    let recipe = Recipe::named(DEFAULT_ENSEMBLE, &settings()).unwrap();
    let same = trainer(&recipe).dev(&dev).train(&sentences[..60]).unwrap();
    let (mut one, mut other) = (parser.worker(), same.worker());
    assert!(dev.iter().all(|sentence| one.parse(sentence) == other.parse(sentence)));
    let named = ensemble.with("system=arc-eager").unwrap();
    let error = Trainer::new(&named).train(&sentences[..60]).unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("a file with a table [[parser]]"), "{error}");
}

/// A model can be split up while others use it.
#[test]
fn parsers_of_a_model_that_others_use_can_be_had_alone() {
    let model = trainer(&recipe()).train(&read(TRAIN)[..40]).unwrap();
    let (other, mut worker) = (model.clone(), model.worker());
    let alone = model.only(2).unwrap();
    assert_eq!((alone.n_members(), other.n_members()), (1, 3));
    assert_eq!(alone.to_bytes().unwrap(), other.only(2).unwrap().to_bytes().unwrap());
    assert!(read(DEV).iter().all(|sentence| worker.parse(sentence).is_well_formed()));
}

/// Records the number of training states of each parser's linear model, and the features that pruning kept; number 0 is for a single
/// parser.
#[derive(Default)]
struct Pruned(std::sync::Mutex<Vec<(usize, usize, Vec<f32>)>>);

impl Pruned {
    fn take(&self, number: usize, event: &Event<'_>) {
        match event {
            Event::Member { number, event } => self.take(*number, event),
            Event::Pruned { states, questions } => {
                let kept = questions.iter().map(|(_, _, kept)| *kept).collect();
                self.0.lock().unwrap().push((number, *states, kept));
            }
            _ => {}
        }
    }
}

impl Observer for Pruned {
    fn event(&self, event: &Event<'_>) {
        self.take(0, event);
    }
}

/// A treebank with too many labels for networks, on which a parser also makes errors.
fn more_labels_than_networks_learn() -> Vec<Sentence> {
    let mut text = String::new();
    let mut n_labels = 0;
    for sentence in read(TRAIN) {
        for token in sentence.tokens() {
            let head = sentence.heads()[token.index()].0;
            let label =
                if n_labels < 1100 { format!("label{n_labels}") } else { sentence.label(token).to_owned() };
            n_labels += 1;
            let (form, tag) = (sentence.form(token), if token.index() % 2 == 0 { "X" } else { "Y" });
            let _ = writeln!(text, "{}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{label}\t_\t_", token.index());
        }
        text.push('\n');
        if n_labels > 1300 {
            break;
        }
    }
    read(&text)
}

/// With so many labels that linear models support networks, these explore and prune as in a single parser.
#[test]
fn parsers_that_would_share_an_encoder_keep_their_folds() {
    let sentences = more_labels_than_networks_learn();
    let small =
        ["encoder.epochs=1", "encoder.units=8", "encoder.hidden=8", "encoder.networks=1", "parts=parse"];
    let small = small.iter().fold(Settings::default(), |settings, one| settings.with(one).unwrap());
    let text =
        "[[parser]]\nsystem = 'arc-eager'\nencoder = 1\n[[parser]]\nsystem = 'rtl:arc-hybrid'\nencoder = 1\n";
    let told = Pruned::default();
    let recipe = Recipe::from_toml(text, &small).unwrap();
    trainer(&recipe).observer(&told).train(&sentences).unwrap();
    let mut of_members = told.0.into_inner().unwrap();
    of_members.sort_by_key(|(number, ..)| *number);
    assert_eq!(of_members.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [1, 2]);
    let of_one = |settings: &Settings| {
        let told = Pruned::default();
        train(&sentences, settings, &told).unwrap();
        let told = told.0.into_inner().unwrap();
        let [(0, states, kept)] = &told[..] else { panic!("{told:?}") };
        (*states, kept.clone())
    };
    for ((_, states, kept), settings) in of_members.into_iter().zip(recipe.settings()) {
        assert_eq!(of_one(settings), (states, kept));
        // Without exploration there are fewer states.
        let unexplored = settings.with("learner=linear+recurrent").unwrap().with("linear.folds=0").unwrap();
        let (fewer, _) = of_one(&unexplored);
        assert!(fewer < states, "{fewer} of {states}");
    }
}

/// Counts the parsers that start training, and stops when there are four.
#[derive(Default)]
struct Hasty {
    n_begun: std::sync::atomic::AtomicUsize,
}

impl Observer for Hasty {
    fn event(&self, event: &Event<'_>) {
        use std::sync::atomic::Ordering::SeqCst;
        if let Event::Member { event: Event::Work { .. }, .. } = event {
            self.n_begun.fetch_add(1, SeqCst);
        }
    }

    fn stop(&self) -> bool {
        self.n_begun.load(std::sync::atomic::Ordering::SeqCst) >= 4
    }
}

#[test]
fn an_interrupted_ensemble_begins_no_more_parsers() {
    let (sentences, dev) = (read(TRAIN), read(DEV));
    let systems = ["arc-eager", "arc-hybrid", "covington", "swap-lazy", "arc-standard", "planar"];
    let parser =
        |system: &str| format!("[[parser]]\nsystem = '{system}'\n[[parser]]\nsystem = 'rtl:{system}'\n");
    let text: String = systems.map(parser).concat();
    let recipe = Recipe::from_toml(&text, &settings()).unwrap();
    for n_threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let observer = Hasty::default();
        let model = pool.install(|| trainer(&recipe).observer(&observer).train(&sentences[..60]));
        let n_begun = observer.n_begun.into_inner();
        assert!(n_begun < recipe.n_parsers() && (n_threads > 1 || n_begun == 4), "{n_begun}");
        let model = match model {
            // All finished parsers may be those of the held-out run.
            Err(Error::Stopped) if n_threads > 1 => continue,
            model => model.unwrap(),
        };
        assert!(model.description().interrupted && model.n_members() < n_begun);
        assert!(n_threads > 1 || model.n_members() == 3);
        n_right(&model, &dev);
        // The remaining model describes itself correctly.
        let again = Model::from_bytes(&model.to_bytes().unwrap(), "model").unwrap();
        assert_eq!(again.n_members(), model.n_members());
        let only = again.only(1).unwrap();
        assert_eq!(only.description().settings.system(), only.plan().system.to_string().parse().ok());
    }
}
