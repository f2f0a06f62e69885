//! An adaptation from beginning to end: source model, methods, guard, result.

use quaich_parser::cross_validation::hold_out;
use quaich_parser::{Error, Event, Model, Observer, Result, Trainer, Unobserved};
use quaich_treebank::Sentence;

use crate::comparison::{Comparison, Guard, matches};
use crate::domain::Domain;
use crate::material::Material;
use crate::methods::{METHODS, Method};
use crate::report::{Counts, MethodReport, Report, Verdict};
use crate::shift::Shift;
use crate::tags::{has_tags, without_tags};

/// One source sentence in this many is held out.
const FOLDS: usize = 10;
/// The minimum number of source sentences: with fewer, nothing can be held out.
const MIN_SENTENCES: usize = 2 * FOLDS;

/// Options of an adaptation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// The minimum confidence of target sentences, from 0 to 1; by default, each method has its own.
    pub min_confidence: Option<f32>,
    /// The maximum number of target sentences that are added.
    pub max_sentences: usize,
    /// The guard against harm.
    pub guard: Guard,
}

impl Default for Options {
    fn default() -> Self {
        Self { min_confidence: None, max_sentences: usize::MAX, guard: Guard::default() }
    }
}

/// An adaptation: how models are trained, and by which methods they are adapted.
///
/// ```
/// use quaich_adapt::{Adaptation, METHODS};
/// use quaich_parser::{Settings, Trainer};
/// use quaich_treebank::Treebank;
///
/// let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// let source = Treebank::from_text(&text.repeat(40))?;
/// let target = Treebank::from_text(&text.replace("Cats", "Dogs").repeat(10))?;
/// let trainer = Trainer::new(&Settings::default().with("learner=linear")?);
/// let prepared = Adaptation::new(trainer).methods(&[&METHODS[1]]).prepare(&source)?;
/// let adapted = prepared.adapt(&target)?;
/// assert_eq!(adapted.report.methods[0].added.sentences, 10);
/// assert_eq!(adapted.report.chosen, Some("self-training"));
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Clone)]
pub struct Adaptation<'a> {
    trainer: Trainer<'a>,
    observer: &'a dyn Observer,
    options: Options,
    methods: Vec<&'static Method>,
    model: Option<Model>,
    dev: &'a [Sentence],
    gold: &'a [Sentence],
}

impl std::fmt::Debug for Adaptation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { options, methods, .. } = self;
        f.debug_struct("Adaptation")
            .field("options", options)
            .field("methods", methods)
            .finish_non_exhaustive()
    }
}

impl<'a> Adaptation<'a> {
    /// An adaptation of models that are trained like this, by the default method. The trainer's text and observer are not used.
    pub fn new(trainer: Trainer<'a>) -> Self {
        Self {
            trainer,
            observer: &Unobserved,
            options: Options::default(),
            methods: vec![&METHODS[0]],
            model: None,
            dev: &[],
            gold: &[],
        }
    }

    /// Sets options.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Sets the methods to compare. The result is the model of the first that the guard accepts.
    #[must_use]
    pub fn methods(self, methods: &[&'static Method]) -> Self {
        Self { methods: methods.to_vec(), ..self }
    }

    /// Sets a model of the source, which was trained on the source sentences and not on the dev sentences.
    #[must_use]
    pub fn model(self, model: Model) -> Self {
        Self { model: Some(model), ..self }
    }

    /// Sets source sentences for the guard, instead of holding out a part of the source.
    #[must_use]
    pub fn dev(self, dev: &'a [Sentence]) -> Self {
        Self { dev, ..self }
    }

    /// Sets gold trees of the target. They are used for the report only.
    #[must_use]
    pub fn gold(self, gold: &'a [Sentence]) -> Self {
        Self { gold, ..self }
    }

    /// Sets the observer, which receives progress events and can stop the adaptation.
    #[must_use]
    pub fn observer(self, observer: &'a dyn Observer) -> Self {
        Self { observer, ..self }
    }

    /// Holds out a part of the source, and trains the source model on the rest. With dev sentences, nothing is held out, and the given
    /// model is the source model.
    ///
    /// # Errors
    /// If there are too few source sentences, or training fails.
    pub fn prepare(self, source: &[Sentence]) -> Result<Prepared<'a>> {
        let (part, held_out) = match self.dev {
            [] if source.len() < MIN_SENTENCES => {
                return Err(Error::Treebank(format!(
                    "found {} source sentences, expected at least {MIN_SENTENCES}: one in {FOLDS} is held out to detect harm",
                    source.len()
                )));
            }
            [] => hold_out(source, FOLDS),
            dev => (source.to_vec(), dev.to_vec()),
        };
        let needs_second = self.methods.iter().any(|method| method.needs_second);
        let is_given = !self.dev.is_empty() && self.model.is_some();
        let n_runs = usize::from(!is_given)
            + usize::from(needs_second)
            + self.methods.len()
            + usize::from(self.dev.is_empty());
        let mut progress = Progress { observer: self.observer, number: 0, of: n_runs };
        let model = match &self.model {
            Some(model) if is_given => model.clone(),
            _ => {
                progress.start("source model");
                let run = Run { observer: self.observer, is_first: true };
                let trainer = self.trainer.clone().run_name("source");
                let trainer = if trainer.has_encoder() { trainer } else { trainer.without_text() };
                trainer.observer(&run).train(&part)?
            }
        };
        Ok(Prepared {
            number: progress.number,
            of: n_runs,
            adaptation: self,
            all: source.to_vec(),
            part,
            held_out,
            model,
        })
    }
}

/// A source model and what is needed to adapt it.
#[derive(Debug)]
pub struct Prepared<'a> {
    adaptation: Adaptation<'a>,
    /// All source sentences, and those to learn from while methods are compared.
    all: Vec<Sentence>,
    part: Vec<Sentence>,
    held_out: Vec<Sentence>,
    model: Model,
    /// The number of training runs, done and in all.
    number: usize,
    of: usize,
}

/// The result of an adaptation.
#[derive(Debug)]
pub struct Adapted {
    /// The adapted model, or the source model if no method is accepted.
    pub model: Model,
    /// What was done.
    pub report: Report,
    /// Whether the observer stopped the adaptation; the model is the best one that was complete.
    pub interrupted: bool,
}

/// A model that the guard has accepted, and what it learned from.
struct Accepted {
    method: &'static Method,
    material: Material,
    model: Model,
}

impl Prepared<'_> {
    /// The source model, whose tokenizer and tagger read the target.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Adapts the model to target sentences; their trees, if they have any, are ignored.
    ///
    /// # Errors
    /// If training fails.
    pub fn adapt(&self, target: &[Sentence]) -> Result<Adapted> {
        let Adaptation { trainer, observer, options, methods, .. } = &self.adaptation;
        let target_has_tags = target.iter().any(has_tags);
        let is_tagged = target_has_tags || self.model.untagged().is_none();
        let as_target =
            |sentences: &[Sentence]| if is_tagged { sentences.to_vec() } else { without_tags(sentences) };
        let (held_out, gold) = (as_target(&self.held_out), as_target(self.adaptation.gold));
        let mut progress = Progress { observer: *observer, number: self.number, of: self.of };
        let run = Run { observer: *observer, is_first: false };
        let sentences = [&self.part[..], target, &held_out, &gold];
        let domain =
            Domain::new((trainer.clone(), &run), &self.model, sentences, (is_tagged, options.max_sentences));
        let before = [&held_out, &gold].map(|sentences| matches(&self.model, sentences));
        let mut reports = Vec::new();
        let mut accepted: Option<Accepted> = None;
        for &method in methods {
            if observer.stop() {
                break;
            }
            if method.needs_second && domain.needs_second() {
                progress.start("second parser");
                if unless_stopped(domain.second_model())?.is_none() {
                    break;
                }
            }
            progress.start(method.name);
            let min = options.min_confidence.or(method.min_confidence);
            let material = unless_stopped((method.run)(&domain, min.unwrap_or(0.0)))?;
            let Some(material) = material.filter(|_| !observer.stop()) else { break };
            let mut report = self.report_of(method, &material, target);
            report.min_confidence = min.filter(|_| method.min_confidence.is_some());
            if !material.is_empty() {
                let model = unless_stopped(self.train(&material, method.name, &self.part))?;
                let Some(model) = model.filter(|_| !observer.stop()) else { break };
                let seed = trainer.settings().seed();
                let after = [&held_out, &gold].map(|sentences| matches(&model, sentences));
                let compare = |place: usize| Comparison::of(&before[place], &after[place], seed);
                let on_held_out = compare(0);
                report.verdict =
                    if options.guard.accepts(&on_held_out.las) { Verdict::Accepted } else { Verdict::Harmed };
                report.held_out = Some(on_held_out);
                report.gold = (!gold.is_empty()).then(|| compare(1));
                if report.verdict == Verdict::Accepted && accepted.is_none() {
                    accepted = Some(Accepted { method, material, model });
                }
            }
            reports.push(report);
        }
        let chosen = accepted.as_ref().map(|accepted| accepted.method.name);
        let model = self.finish(accepted, &mut progress)?;
        let report = Report {
            source: Counts::of(&self.part),
            held_out: Counts::of(&self.held_out),
            target: Counts { arcs: 0, ..Counts::of(target) },
            target_has_tags,
            tolerance: options.guard.tolerance,
            methods: reports,
            chosen,
        };
        Ok(Adapted { model, report, interrupted: observer.stop() })
    }

    /// The model of the result. What was held out is learned from, too, once nothing more is compared.
    fn finish(&self, accepted: Option<Accepted>, progress: &mut Progress<'_>) -> Result<Model> {
        let Adaptation { observer, dev, model: given, .. } = &self.adaptation;
        let (material, name, model) = match accepted {
            Some(Accepted { method, material, model }) => (material, method.name, model),
            None if given.is_some() => return Ok(given.clone().unwrap_or_else(|| self.model.clone())),
            None => (Material::default(), "source", self.model.clone()),
        };
        if !dev.is_empty() || observer.stop() {
            return Ok(model);
        }
        progress.start("held-out sentences added");
        let all = unless_stopped(self.train(&material, &format!("{name}-all"), &self.all))?;
        Ok(all.filter(|_| !observer.stop()).unwrap_or(model))
    }

    fn train(&self, material: &Material, name: &str, source: &[Sentence]) -> Result<Model> {
        let run = Run { observer: self.adaptation.observer, is_first: false };
        let mut trainer = self.adaptation.trainer.clone().run_name(name);
        if let Some(encoder) = &material.encoder {
            trainer = trainer.encoder(std::sync::Arc::clone(encoder));
        } else if !trainer.has_encoder() {
            trainer = trainer.without_text();
        }
        if !material.is_empty() {
            trainer = trainer.note("adaptation", note(name, material));
        }
        let sentences = material.sentences(source);
        trainer.head_distributions(&material.head_distributions).observer(&run).train(&sentences)
    }

    fn report_of(&self, method: &Method, material: &Material, target: &[Sentence]) -> MethodReport {
        let is_repeated = |sentence: &&Sentence| {
            material.similarity.as_ref().is_some_and(|similarity| similarity.count(sentence) > 1)
        };
        let added = &material.added;
        let impossible = || material.impossible.clone();
        MethodReport {
            method: method.name,
            min_confidence: None,
            added: Counts::of(added),
            repeated: Counts::of(self.part.iter().filter(is_repeated)),
            pretrained_on: material.encoder.as_ref().map_or(0, |encoder| encoder.description().words),
            shift: (!added.is_empty()).then(|| Shift::of(&self.part, target, added)),
            curve: material.curve.clone(),
            held_out: None,
            gold: None,
            verdict: Verdict::Nothing(
                impossible().unwrap_or_else(|| "no sentence reaches the minimum confidence".to_owned()),
            ),
        }
    }
}

/// Nothing if the observer stopped the work.
fn unless_stopped<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(Error::Stopped) => Ok(None),
        result => result.map(Some),
    }
}

/// What the model's metadata say about its adaptation.
fn note(name: &str, material: &Material) -> String {
    let name = name.trim_end_matches("-all");
    format!("{name}, {} target sentences added", material.added.len())
}

/// Announces training runs.
struct Progress<'o> {
    observer: &'o dyn Observer,
    number: usize,
    of: usize,
}

impl Progress<'_> {
    fn start(&mut self, name: &'static str) {
        self.number += 1;
        self.observer.event(&Event::Part { number: self.number, of: self.of, name });
    }
}

/// Passes on the events of a training run: of the first, all but its parts; of others, progress alone, since they are alike.
struct Run<'o> {
    observer: &'o dyn Observer,
    is_first: bool,
}

impl Observer for Run<'_> {
    fn event(&self, event: &Event<'_>) {
        let is_progress = matches!(
            event,
            Event::Work { .. }
                | Event::Stage { .. }
                | Event::Step
                | Event::Member { event: Event::Work { .. } | Event::Step, .. }
        );
        if is_progress || (self.is_first && !matches!(event, Event::Part { .. })) {
            self.observer.event(event);
        }
    }

    fn stop(&self) -> bool {
        self.observer.stop()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use quaich_parser::{Settings, Trainer};
    use quaich_treebank::{Role, Treebank};

    use super::*;
    use crate::tags::{read, without};

    const TRAIN: &str = include_str!("../../../data/sample/train.conllu");
    const DEV: &str = include_str!("../../../data/sample/dev.conllu");
    const TEST: &str = include_str!("../../../data/sample/test.conllu");

    /// Without folds, there is no calibration: all arcs have probability 0.5.
    fn trainer() -> Trainer<'static> {
        let settings = ["learner=linear", "linear.folds=0", "linear.epochs=2"];
        let with = |settings: Settings, one: &&str| settings.with(one).unwrap();
        Trainer::new(&settings.iter().fold(Settings::default(), with))
    }

    fn sentences(text: &str) -> Treebank {
        Treebank::from_text(text).unwrap()
    }

    /// Adds the source with wrong trees, three times: every word depends on the word after it.
    static HARMFUL: Method = Method {
        name: "harmful",
        help: "for this test",
        min_confidence: None,
        needs_second: false,
        run: |domain, _| {
            let wrong = |sentence: &Sentence| {
                let layout = sentence.layout();
                let head = layout.position(Role::Head).unwrap();
                let mut text = Vec::new();
                sentence.write_replacing(&mut text, &[head], |token, _, out| {
                    let next = (token.index() + 1) % (sentence.n_tokens() + 1);
                    out.extend_from_slice(next.to_string().as_bytes());
                });
                read(sentence, &text)
            };
            let added = std::iter::repeat_n(domain.source, 3).flatten().map(wrong).collect();
            Ok(Material { added, ..Material::default() })
        },
    };

    #[test]
    fn a_harmful_adaptation_is_refused() {
        let (train, dev) = (sentences(TRAIN), sentences(DEV));
        let source = trainer().train(&train).unwrap();
        let adaptation = Adaptation::new(trainer()).model(source.clone()).dev(&dev).methods(&[&HARMFUL]);
        let prepared = adaptation.prepare(&train).unwrap();
        let adapted = prepared.adapt(&sentences(TEST)).unwrap();
        let report = &adapted.report.methods[0];
        assert_eq!(report.verdict, Verdict::Harmed, "{report:?}");
        assert!(report.held_out.unwrap().las.gain() < -5.0);
        assert_eq!(adapted.report.chosen, None);
        assert_eq!(adapted.model.to_bytes().unwrap(), source.to_bytes().unwrap());
        // After it, a method that does no harm is chosen.
        let methods = [&HARMFUL, Method::by_name("self-training").unwrap()];
        let options = Options { min_confidence: Some(0.5), ..Options::default() };
        let adaptation =
            Adaptation::new(trainer()).model(source).dev(&dev).methods(&methods).options(options);
        let adapted = adaptation.prepare(&train).unwrap().adapt(&sentences(TEST)).unwrap();
        assert_eq!(adapted.report.chosen, Some("self-training"));
    }

    #[test]
    fn methods_give_the_same_at_any_number_of_threads() {
        let train = sentences(TRAIN);
        let (target, gold) = (sentences(DEV), sentences(TEST));
        // Trees of the target make no difference.
        let bare: Vec<Sentence> =
            target.iter().map(|sentence| without(sentence, &[Role::Head, Role::Label])).collect();
        let run = |n_threads: usize, target: &[Sentence]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            // Completing partial trees takes a minute.
            let methods: Vec<&Method> = METHODS.iter().filter(|method| method.name != "agreement").collect();
            let options = Options { min_confidence: Some(0.5), max_sentences: 20, ..Options::default() };
            let adapted = pool.install(|| {
                let adaptation = Adaptation::new(trainer()).methods(&methods).gold(&gold).options(options);
                adaptation.prepare(&train).unwrap().adapt(target).unwrap()
            });
            (adapted.model.to_bytes().unwrap(), adapted.report)
        };
        let (bytes, report) = run(1, &target);
        let (again, same) = run(2, &bare);
        assert_eq!(report, same);
        assert!(bytes == again, "the models differ");
        assert_eq!(report.methods.len(), METHODS.len() - 1);
        for method in &report.methods {
            assert!(method.added.sentences <= 20);
            let is_pretraining = method.method == "pretraining";
            assert_eq!(matches!(method.verdict, Verdict::Nothing(_)), is_pretraining, "{method:?}");
            assert_eq!(method.gold.is_some(), !is_pretraining);
        }
        let by_name = |name: &str| report.methods.iter().find(|method| method.method == name).unwrap();
        assert_eq!(by_name("co-training").added.arcs, by_name("co-training").added.tokens);
        assert!(by_name("similarity").repeated.sentences > 0);
    }

    /// Stops when a training run with this number has begun.
    struct StopAt {
        number: usize,
        reached: AtomicUsize,
        names: Mutex<Vec<&'static str>>,
    }

    impl Observer for StopAt {
        fn event(&self, event: &Event<'_>) {
            if let Event::Part { number, name, .. } = event {
                self.reached.store(*number, Ordering::Relaxed);
                self.names.lock().unwrap().push(name);
            }
        }

        fn stop(&self) -> bool {
            self.reached.load(Ordering::Relaxed) >= self.number
        }
    }

    #[test]
    fn an_interruption_keeps_the_best_complete_model() {
        let (train, target) = (sentences(TRAIN), sentences(TEST));
        let methods = [METHODS[1], METHODS[4]].map(|method| Method::by_name(method.name).unwrap());
        let options = Options { min_confidence: Some(0.5), ..Options::default() };
        for (number, chosen) in [(2, None), (3, Some("self-training")), (4, Some("self-training"))] {
            let stop = StopAt { number, reached: AtomicUsize::new(0), names: Mutex::default() };
            let adaptation = Adaptation::new(trainer()).methods(&methods).options(options).observer(&stop);
            let adapted = adaptation.prepare(&train).unwrap().adapt(&target).unwrap();
            assert!(adapted.interrupted);
            assert_eq!(adapted.report.chosen, chosen);
            let names = ["source model", "self-training", "similarity", "held-out sentences added"];
            assert_eq!(stop.names.into_inner().unwrap(), names[..number]);
        }
    }
}
