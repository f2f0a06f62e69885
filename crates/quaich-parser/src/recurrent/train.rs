//! Training the recurrent network: on what the static oracle does, then also on what it should have done where it went
//! itself.

use quaich_features::{Roles, Seen, TokenValues};
use quaich_learn::recurrent::{Asked, Encoder, QuestionShape, Settings, Shape, Trainer, Words};
use quaich_learn::{Arrays, Verdict};
use quaich_treebank::Node;

use super::lexicon::Lexicon;
use super::model::RecurrentModel;
use super::roles::{Sight, View};
use crate::calibration::Calibration;
use crate::collect::{Recorder, explore, follow};
use crate::decider::ModelDecider;
use crate::decisions::{Question, Subject};
use crate::error::{Error, Result};
use crate::held_out::{judge, split};
use crate::learners::Learned;
use crate::model::{Reading, State};
use crate::observer::Event;
use crate::prepare::Example;
use crate::train::Training;

/// Words that a training goes through, as far as the bounds of passes allow. Three to four million were enough for
/// treebanks of twenty thousand words and of two hundred thousand alike.
const WORDS: usize = 3_500_000;
const FEWEST_PASSES: usize = 16;
const MOST_PASSES: usize = 200;
/// The part of the passes after which the network explores, and how often what it found is renewed.
const EXPLORE_AFTER: f64 = 0.4;
const EXPLORATIONS: usize = 12;
/// Hidden units that choose labels.
const LABEL_HIDDEN: usize = 128;
/// How long the vectors are by which words find their heads.
const ARCS: usize = 200;
/// A rehearsal has this part of the passes: enough to see how sure the network may be.
const REHEARSAL: usize = 4;

/// Learns a recurrent network.
pub(crate) fn learn(training: &Training<'_>) -> Result<Learned> {
    let recurrent = RecurrentTraining::new(training)?;
    let all = training.examples();
    let model = recurrent.train(&all)?;
    let judged = match recurrent.rehearse(&all)? {
        Some((model, held_out)) => judge(&model, &recurrent.token_values, training.way(), &held_out),
        None => Vec::new(),
    };
    let calibration = Calibration::fit(&judged);
    Ok(Learned { decider: ModelDecider::boxed(model, recurrent.token_values), calibration })
}

/// How many steps the training takes: a pass is one.
pub(crate) fn steps(training: &Training<'_>) -> usize {
    let rehearsal = training.n_folds(&training.examples()).map_or(0, |_| rehearsal_passes(training));
    passes(training) + rehearsal
}

/// How often the sentences are gone through.
fn passes(training: &Training<'_>) -> usize {
    let by_size = || (WORDS / training.data.n_tokens().max(1)).clamp(FEWEST_PASSES, MOST_PASSES);
    training.settings.recurrent_passes.unwrap_or_else(by_size)
}

fn rehearsal_passes(training: &Training<'_>) -> usize {
    passes(training).div_ceil(REHEARSAL)
}

/// What every step of the training needs.
struct RecurrentTraining<'a> {
    training: &'a Training<'a>,
    /// By question: everything that there could be to be seen.
    views: Vec<View>,
    /// Nothing: the words are read from the sentence itself.
    token_values: TokenValues,
}

impl<'a> RecurrentTraining<'a> {
    fn new(training: &'a Training<'a>) -> Result<Self> {
        let all = Roles::recurrent();
        let compile = |question: &Question| {
            let seen = if question.subject == Subject::Label { &all.label } else { &all.transition };
            let view = View::compile(seen, training.data.questions.n_labels());
            view.ok_or_else(|| Error::Setting("too much is to be seen".to_owned()))
        };
        let views = training.data.questions.list().iter().map(compile).collect::<Result<_>>()?;
        Ok(Self { training, views, token_values: TokenValues::default() })
    }

    /// Trains on all examples; with a development set the best pass is kept.
    fn train(&self, all: &[&Example<'_>]) -> Result<RecurrentModel> {
        let Training { observer, development, .. } = self.training;
        let passes = passes(self.training);
        self.training.stage("training the recurrent network", passes);
        let mut told = 0;
        let model = self.run(all, passes, "recurrent", |done, model| {
            // Those that were kept are done as well.
            let go_on = self.training.steps(done - std::mem::replace(&mut told, done));
            let is_late = done * 2 > passes && (done.is_multiple_of(passes.div_ceil(20)) || done == passes);
            let scores = if is_late {
                development.score_model(&model(), &self.token_values, self.training.way())
            } else {
                None
            };
            if let Some(scores) = scores {
                observer.event(&Event::Pass { model: "recurrent", done, of: passes, scores });
            }
            Verdict { score: scores.map(|scores| scores.las), stop: !go_on, ..Verdict::default() }
        })?;
        self.skip(passes - told);
        Ok(model)
    }

    /// Tells of passes that were all kept, so that there was none to tell of them after.
    fn skip(&self, passes: usize) {
        if !self.training.observer.stop() {
            self.training.steps(passes);
        }
    }

    /// A network that has not seen the first fold, and that fold.
    #[allow(clippy::type_complexity, reason = "a pair")]
    fn rehearse<'e, 't>(
        &self,
        all: &[&'e Example<'t>],
    ) -> Result<Option<(RecurrentModel, Vec<&'e Example<'t>>)>> {
        let Some(folds) = self.training.n_folds(all) else { return Ok(None) };
        let (others, held_out) = split(all, 0, folds.max(4));
        let passes = rehearsal_passes(self.training);
        self.training.stage("rehearsing", passes);
        let mut told = 0;
        let model = self.run(&others, passes, "rehearsal", |done, _| {
            let stop = !self.training.steps(done - std::mem::replace(&mut told, done));
            Verdict { stop, ..Verdict::default() }
        })?;
        self.skip(passes - told);
        Ok(Some((model, held_out)))
    }

    /// Trains a network. After every pass `judge` can have the model and says how good it is, if it knows, and whether
    /// to stop; the best model is returned. A training that was kept under the same name is taken up where it was left.
    fn run(
        &self,
        examples: &[&Example<'_>],
        passes: usize,
        name: &str,
        mut judge: impl FnMut(usize, &dyn Fn() -> RecurrentModel) -> Verdict,
    ) -> Result<RecurrentModel> {
        let (way, checkpoint) = (self.training.way(), &self.training.checkpoint);
        let lexicon = Lexicon::of(examples);
        let words = read_words(&lexicon, examples, self.training);
        let recorder = || ViewRecorder::new(&self.views);
        let everything = gather(&self.views, follow(way, &self.token_values, examples, recorder));
        let in_use: Vec<Vec<bool>> = everything.iter().map(in_use).collect();
        let views: Vec<View> =
            self.views.iter().zip(&in_use).filter_map(|(view, in_use)| self.narrowed(view, in_use)).collect();
        let followed: Vec<Asked> =
            everything.iter().zip(&in_use).map(|(asked, in_use)| asked.with_roles(in_use)).collect();
        drop(everything);
        let settings = Settings { passes, seed: self.training.settings.seed, ..Settings::default() };
        let n_words = examples.iter().map(|example| example.tree.n_tokens() + 1).sum();
        let mut trainer = Trainer::new(self.shape(&lexicon, &views), n_words, settings);
        if let Some(kept) = checkpoint.load(name) {
            // What does not fit is of another training.
            let _ = trainer.restore(&kept);
        }
        let mut asked = followed.clone();
        let mut best: Option<(f64, Encoder)> = None;
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let explore_from = (passes as f64 * EXPLORE_AFTER).ceil() as usize;
        let explore_every = (passes - explore_from.min(passes)).div_ceil(EXPLORATIONS).max(1);
        for pass in trainer.passes()..passes {
            let is_due = pass >= explore_from && (pass - explore_from).is_multiple_of(explore_every);
            if is_due && way.system.has_dynamic_oracle() {
                let model = RecurrentModel {
                    lexicon: lexicon.clone(),
                    encoder: Encoder::new(trainer.network()),
                    views: views.clone(),
                };
                let recorder = || ViewRecorder::new(&views);
                let explored = gather(&views, explore(way, &self.token_values, &model, examples, recorder));
                asked = followed
                    .iter()
                    .zip(&explored)
                    .map(|(followed, explored)| followed.with(explored))
                    .collect();
            }
            // One pass is made in any case: there has to be something to parse with.
            trainer.pass(&words, &asked, &|| pass == 0 || !self.training.observer.stop());
            let model = || RecurrentModel {
                lexicon: lexicon.clone(),
                encoder: Encoder::new(trainer.network()),
                views: views.clone(),
            };
            let verdict = judge(pass + 1, &model);
            if let Some(score) = verdict.score
                && best.as_ref().is_none_or(|(highest, _)| score >= *highest)
            {
                best = Some((score, Encoder::new(trainer.network())));
            }
            // A pass that was broken off cannot be gone on from.
            let is_whole = !self.training.observer.stop();
            if is_whole && checkpoint.is_used() && (pass + 1).is_multiple_of(passes.div_ceil(20)) {
                let mut arrays = Arrays::default();
                trainer.save(&mut arrays);
                checkpoint.save(name, &arrays)?;
            }
            if verdict.stop {
                break;
            }
        }
        let encoder = best.map_or_else(|| Encoder::new(trainer.network()), |(_, encoder)| encoder);
        Ok(RecurrentModel { lexicon, encoder, views })
    }

    fn shape(&self, lexicon: &Lexicon, views: &[View]) -> Shape {
        let settings = self.training.settings;
        let questions = self.training.data.questions.list().iter().zip(views).map(|(question, view)| {
            let is_label = question.subject == Subject::Label;
            QuestionShape {
                roles: view.n_roles(),
                marks: view.n_values(),
                width: if is_label { LABEL_HIDDEN } else { settings.recurrent_hidden },
                classes: question.n_classes,
            }
        });
        Shape {
            attributes: lexicon.attributes(),
            layers: settings.recurrent_layers,
            units: settings.recurrent_units,
            questions: questions.collect(),
            arcs: ARCS,
        }
    }

    /// What is left of a view without words that are never there.
    fn narrowed(&self, view: &View, in_use: &[bool]) -> Option<View> {
        let Seen { words, marks } = view.seen();
        let words = words.iter().zip(in_use).filter(|(_, used)| **used).map(|(word, _)| word.clone());
        let seen = Seen { words: words.collect(), marks: marks.clone() };
        View::compile(&seen, self.training.data.questions.n_labels())
    }
}

/// Puts the parts of recorders together.
fn gather(views: &[View], parts: Vec<ViewRecorder<'_>>) -> Vec<Asked> {
    let mut all: Vec<Asked> = views.iter().map(|view| Asked::new(view.n_roles(), view.n_marks())).collect();
    for mut part in parts {
        part.end_sentence();
        for (all, part) in all.iter_mut().zip(&part.asked) {
            all.append(part);
        }
    }
    all
}

/// The roles that are ever filled; the first, where none is.
fn in_use(asked: &Asked) -> Vec<bool> {
    let mut in_use = asked.roles_in_use();
    if let (false, Some(first)) = (in_use.contains(&true), in_use.first_mut()) {
        *first = true;
    }
    in_use
}

/// Looks all words up.
fn read_words(lexicon: &Lexicon, examples: &[&Example<'_>], training: &Training<'_>) -> Words {
    let mut words = Words::new(lexicon.attributes().len());
    let mut values = Vec::new();
    for example in examples {
        let page = lexicon.open(example.sentence, training.way().order);
        for node in (0..=example.tree.n_tokens()).map(Node::from_index) {
            page.values(node, &mut values);
            let head = if node.index() == 0 { 0 } else { example.tree.head(node).index() };
            words.push(values.iter().map(Vec::as_slice), u32::try_from(head).unwrap_or(0));
        }
        words.end_sentence();
    }
    words
}

/// Takes down states for the network.
struct ViewRecorder<'a> {
    views: &'a [View],
    /// By question.
    asked: Vec<Asked>,
    has_begun: bool,
    sight: Sight,
}

impl<'a> ViewRecorder<'a> {
    fn new(views: &'a [View]) -> Self {
        let asked = views.iter().map(|view| Asked::new(view.n_roles(), view.n_marks())).collect();
        Self { views, asked, has_begun: false, sight: Sight::default() }
    }

    fn end_sentence(&mut self) {
        if self.has_begun {
            self.asked.iter_mut().for_each(Asked::end_sentence);
        }
    }
}

impl Recorder for ViewRecorder<'_> {
    fn read(&mut self, _reading: Reading<'_>) {
        self.end_sentence();
        self.has_begun = true;
    }

    fn record(&mut self, question: usize, State { c, focus, .. }: State<'_>, right: &[u32]) {
        let Self { views, asked, sight, .. } = self;
        let view = &views[question];
        view.look(c, focus, sight);
        // Which of several right answers is learned was decided where they were found.
        asked[question].push(&sight.words[..view.n_roles()], &sight.marks[..view.n_marks()], right[0]);
    }
}
