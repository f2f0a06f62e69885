//! Training the recurrent network: on what the static oracle does, then also on what it should have done where it went
//! itself.

use std::sync::Arc;

use quaich_features::{Roles, Seen, TokenValues};
use quaich_learn::Arrays;
use quaich_learn::recurrent::{Asked, Encoder, QuestionShape, Settings, Shape, Trainer, Words};
use quaich_treebank::Node;

use super::lexicon::Lexicon;
use super::model::{RecurrentModel, turn};
use super::roles::{Sight, View, leads_to_buffer};
use super::sizes::{Plan, Sizes};
use crate::apprentice::{Apprentice, Judge, Run};
use crate::calibration::Calibration;
use crate::collect::{Recorder, explore, follow};
use crate::decider::ModelDecider;
use crate::decisions::{Question, Subject};
use crate::error::{Error, Result};
use crate::learners::Learned;
use crate::model::{Reading, State};
use crate::observer::Event;
use crate::prepare::Example;
use crate::train::Training;

/// Words that a training goes through, as far as the bounds of passes allow. Half as many cost 0.4 points of LAS on a
/// held-out fifth of danish-ddt, twice as many brought 0.1 on one of english-ewt in a prototype.
const WORDS: usize = 7_000_000;
const FEWEST_PASSES: usize = 16;
const MOST_PASSES: usize = 120;
/// Words between two changes of the weights, and fewer of them where there are few words: 200 passes over small treebanks with
/// the weights changed every 1,000 words are no better than 130 with changes twice as often (fifths of seven, in a prototype).
const BATCH: usize = 1000;
const BATCH_OF_SMALL: usize = 500;
/// The part of all units that is left out at random: more where there is little to learn from. Chosen on held-out fifths
/// of six treebanks.
const DROPOUT: f32 = 0.2;
const DROPOUT_OF_SMALL: f32 = 0.33;
/// Words from which on a treebank is large.
const LARGE: usize = 60_000;
/// How much of what is known of words is left out, as a part of what is left out of units: of 0.3, 0.6 and 1 the best on
/// held-out fifths of latin-perseus and basque-3lb in a prototype.
const FORGOTTEN: f32 = 0.6;
/// The part of the passes after which the network explores, and how often what it found is renewed.
const EXPLORE_AFTER: f64 = 0.4;
const EXPLORATIONS: usize = 12;
/// Hidden units that choose labels, and those of each of several parsers that share the network on a small treebank: what words are
/// to so many would be most of the work. Fifths in a prototype, 128 and 64 units: hungarian-szeged 79.8 and 80.5, latin-perseus 71.0
/// and 70.5, basque-3lb 80.1 and 80.4; but danish-ddt 85.0 and 84.7, english-ewt 87.4 and 87.1.
const LABEL_HIDDEN: usize = 128;
const LABEL_HIDDEN_OF_MANY: usize = 64;
/// How long the vectors are by which words find their heads: 200, 100 and 64 are equally good on held-out fifths of six
/// treebanks in a prototype, 32 are not.
const ARCS: usize = 64;
/// A rehearsal has this part of the passes: enough to see how sure the network may be.
pub(crate) const REHEARSAL: usize = 4;

/// What every step of the training needs.
pub(crate) struct RecurrentTraining<'a> {
    training: &'a Training<'a>,
    /// By question: everything that there could be to be seen.
    views: Vec<View>,
    /// Nothing: the words are read from the sentence itself.
    token_values: TokenValues,
    /// Other parsers that are to share the network, which learn from the same sentences.
    beside: Vec<Self>,
}

/// What networks with any seed learn from.
pub(crate) struct RecurrentLessons {
    lexicon: Arc<Lexicon>,
    words: Words,
    parsers: Vec<ParserLessons>,
}

/// What a network learns for one parser.
struct ParserLessons {
    /// By question: what there is to be seen.
    views: Vec<View>,
    /// By question: what the static oracle does.
    followed: Vec<Asked>,
    /// The number of its first question among those of all parsers.
    first_question: usize,
    /// Whether the network reads sentences in the other direction.
    is_turned: bool,
}

impl<'a> Apprentice<'a> for RecurrentTraining<'a> {
    type Model = RecurrentModel;
    type Lessons = RecurrentLessons;
    const NAME: &'static str = "recurrent";
    const STAGE: &'static str = "training the recurrent network";
    const FEWEST_FOLDS: usize = 4;
    const SETS_ASIDE: bool = true;

    fn new(training: &'a Training<'a>, _token_values: &mut TokenValues) -> Result<Self> {
        let Roles { mut transition, lookahead, label } = Roles::recurrent();
        if leads_to_buffer(&*training.data.system) {
            transition = transition.and(lookahead);
        }
        let compile = |question: &Question| {
            let seen = if question.subject == Subject::Label { &label } else { &transition };
            let view = View::compile(seen, training.data.questions.n_labels());
            view.ok_or_else(|| Error::Setting("too much is to be seen".to_owned()))
        };
        let views = training.data.questions.list().iter().map(compile).collect::<Result<_>>()?;
        Ok(Self { training, views, token_values: TokenValues::default(), beside: Vec::new() })
    }

    fn training(&self) -> &'a Training<'a> {
        self.training
    }

    fn token_values(&self) -> &TokenValues {
        &self.token_values
    }

    fn passes(training: &Training<'_>) -> usize {
        passes(training.settings, training.data.n_tokens())
    }

    fn rehearsal_passes(training: &Training<'_>) -> usize {
        Self::passes(training).div_ceil(REHEARSAL)
    }

    fn n_networks(training: &Training<'_>) -> usize {
        sizes(training).networks
    }

    fn unite(networks: Vec<RecurrentModel>) -> RecurrentModel {
        let encoders = networks.iter().flat_map(|network| network.encoders.iter().cloned()).collect();
        let first = networks.into_iter().next().expect("there is at least one");
        RecurrentModel { encoders, ..first }
    }

    fn is_judged(done: usize, of: usize) -> bool {
        done * 2 > of && (done.is_multiple_of(of.div_ceil(20)) || done == of)
    }

    fn prepare(&self, examples: &[&Example<'_>]) -> RecurrentLessons {
        let lexicon = Arc::new(Lexicon::of(examples));
        let words = read_words(&lexicon, examples, self.training);
        let mut parsers = vec![self.own_lessons(examples, 0, false)];
        for other in &self.beside {
            let first_question = parsers.iter().map(|lessons| lessons.views.len()).sum();
            let is_turned = other.training.way().order != self.training.way().order;
            parsers.push(other.own_lessons(&other.training.examples(), first_question, is_turned));
        }
        RecurrentLessons { lexicon, words, parsers }
    }

    fn run(
        &self,
        examples: &[&Example<'_>],
        lessons: &RecurrentLessons,
        Run { passes, name, seed }: Run<'_>,
        judge: &mut Judge<'_, RecurrentModel>,
    ) -> Result<RecurrentModel> {
        let RecurrentLessons { words, parsers, .. } = lessons;
        let checkpoint = &self.training.checkpoint;
        let model_of = |encoder: Encoder| lessons.model(0, [encoder].into());
        let dropout = self.dropout();
        let forgotten = FORGOTTEN * dropout;
        let batch = if self.is_small() { BATCH_OF_SMALL } else { BATCH };
        let settings = Settings { passes, batch, dropout, forgotten, seed, ..Settings::default() };
        let n_words = examples.iter().map(|example| example.tree.n_tokens() + 1).sum();
        let mut trainer = Trainer::new(self.shape(lessons), n_words, settings);
        let mut best: Option<(f64, Encoder)> = None;
        // What does not fit is of another training.
        if let Some(kept) = checkpoint.load(name)
            && trainer.restore(&kept).is_ok()
        {
            best = restore_best(&kept);
        }
        let ways = || [self].into_iter().chain(&self.beside);
        let followed = || parsers.iter().flat_map(|lessons| &lessons.followed);
        let mut asked: Vec<Asked> = followed().cloned().collect();
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let explore_from = (passes as f64 * EXPLORE_AFTER).ceil() as usize;
        let explore_every = (passes - explore_from.min(passes)).div_ceil(EXPLORATIONS).max(1);
        let explores = ways().any(|way| way.training.way().system.has_dynamic_oracle());
        let is_due = |pass: usize| {
            explores && pass >= explore_from && (pass - explore_from).is_multiple_of(explore_every)
        };
        let is_exploring = |pass: usize| explores && pass > explore_from;
        let often = passes.div_ceil(20);
        for pass in trainer.passes()..passes {
            if is_due(pass) {
                let encoders: Arc<[Encoder]> = [Encoder::new(trainer.network())].into();
                let explored = (0..).zip(ways()).flat_map(|(number, way)| {
                    let model = lessons.model(number, Arc::clone(&encoders));
                    if number == 0 {
                        way.explore(&model, examples)
                    } else {
                        way.explore(&model, &way.training.examples())
                    }
                });
                let with = |(followed, explored): (&Asked, Option<Asked>)| match explored {
                    Some(explored) => followed.with(&explored),
                    None => followed.clone(),
                };
                asked = followed().zip(explored).map(with).collect();
            }
            // One pass is made in any case: there has to be something to parse with.
            trainer.pass(words, &asked, &|| pass == 0 || !self.training.observer.stop());
            let verdict = judge(pass + 1, &|| model_of(Encoder::new(trainer.network())));
            if let Some(score) = verdict.score
                && best.as_ref().is_none_or(|(highest, _)| score >= *highest)
            {
                best = Some((score, Encoder::new(trainer.network())));
            }
            // A pass that was broken off cannot be gone on from, and what was explored is not kept: it has to be due anew.
            let is_whole = !self.training.observer.stop();
            let is_time = match pass + 1 {
                done if done == passes => true,
                done if is_exploring(done) => is_due(done),
                done => done.is_multiple_of(often),
            };
            if is_whole && is_time && checkpoint.is_used() {
                let mut arrays = Arrays::default();
                trainer.save(&mut arrays);
                save_best(best.as_ref(), &mut arrays);
                checkpoint.save(name, &arrays)?;
            }
            if verdict.stop {
                break;
            }
        }
        let encoder = best.map_or_else(|| Encoder::new(trainer.network()), |(_, encoder)| encoder);
        Ok(model_of(encoder))
    }
}

/// Learns for parsers with different systems, which are to share the networks, from the same sentences. How they are trained is
/// what the first says.
pub(crate) fn learn_together(trainings: &[Training<'_>]) -> Result<Vec<Learned>> {
    let apprentice = |training| RecurrentTraining::new(training, &mut TokenValues::default());
    let (first, others) = trainings.split_first().expect("there is at least one");
    let beside = others.iter().map(apprentice).collect::<Result<_>>()?;
    let apprentice = RecurrentTraining { beside, ..apprentice(first)? };
    let examples = first.examples();
    let passes = RecurrentTraining::passes(first);
    let steps = passes * RecurrentTraining::n_networks(first);
    first.observer.event(&Event::Work { steps });
    first.stage(RecurrentTraining::STAGE, steps);
    let lessons = apprentice.prepare(&examples);
    let name = RecurrentTraining::NAME;
    let model = apprentice.run_all(&examples, &lessons, (passes, name), &|_, _, _| None)?;
    let learned = |number: usize| {
        let model = lessons.model(number, Arc::clone(&model.encoders));
        Learned::from_all(ModelDecider::boxed(model, TokenValues::default()), Calibration::fit(&[]))
    };
    Ok((0..trainings.len()).map(learned).collect())
}

impl RecurrentLessons {
    /// What one of the parsers has of encoders.
    fn model(&self, number: usize, encoders: Arc<[Encoder]>) -> RecurrentModel {
        let ParserLessons { views, first_question, is_turned, .. } = &self.parsers[number];
        RecurrentModel {
            lexicon: Arc::clone(&self.lexicon),
            encoders,
            views: views.clone(),
            first_question: *first_question,
            is_turned: *is_turned,
        }
    }
}

impl RecurrentTraining<'_> {
    /// What is learned for this parser.
    fn own_lessons(
        &self,
        examples: &[&Example<'_>],
        first_question: usize,
        is_turned: bool,
    ) -> ParserLessons {
        let recorder = || ViewRecorder::new(&self.views, is_turned);
        let way = self.training.way();
        let everything = gather(&self.views, follow(way, &self.token_values, examples, recorder));
        let in_use: Vec<Vec<bool>> = everything.iter().map(in_use).collect();
        let views = self.views.iter().zip(&in_use).filter_map(|(view, in_use)| self.narrowed(view, in_use));
        let followed = everything.iter().zip(&in_use).map(|(asked, in_use)| asked.with_roles(in_use));
        ParserLessons { views: views.collect(), followed: followed.collect(), first_question, is_turned }
    }

    /// By question: what this parser should have done where it went itself; nothing of systems that cannot tell.
    fn explore(&self, model: &RecurrentModel, examples: &[&Example<'_>]) -> Vec<Option<Asked>> {
        let way = self.training.way();
        if !way.system.has_dynamic_oracle() {
            return vec![None; model.views.len()];
        }
        let recorder = || ViewRecorder::new(&model.views, model.is_turned);
        let explored = explore(way, &self.token_values, model, examples, recorder);
        gather(&model.views, explored).into_iter().map(Some).collect()
    }

    /// The part of all units that is left out at random.
    fn dropout(&self) -> f32 {
        let by_size = || if self.is_small() { DROPOUT_OF_SMALL } else { DROPOUT };
        self.training.settings.recurrent_dropout.unwrap_or_else(by_size)
    }

    fn is_small(&self) -> bool {
        self.training.data.n_tokens() < LARGE
    }

    fn shape(&self, RecurrentLessons { lexicon, parsers, .. }: &RecurrentLessons) -> Shape {
        let settings = self.training.settings;
        let is_tight = self.is_small() && !self.beside.is_empty();
        let label_hidden = if is_tight { LABEL_HIDDEN_OF_MANY } else { LABEL_HIDDEN };
        let question = |(question, view): (&Question, &View)| {
            let is_label = question.subject == Subject::Label;
            QuestionShape {
                roles: view.n_roles(),
                marks: view.n_values(),
                width: if is_label { label_hidden } else { settings.recurrent_hidden },
                classes: question.n_classes,
            }
        };
        let ways = [self].into_iter().chain(&self.beside).zip(parsers);
        let questions = ways.flat_map(|(way, lessons)| {
            way.training.data.questions.list().iter().zip(&lessons.views).map(question)
        });
        Shape {
            attributes: lexicon.attributes(),
            layers: settings.recurrent_layers,
            units: sizes(self.training).units,
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

/// How often so many words are gone through.
pub(crate) fn passes(settings: &crate::Settings, n_tokens: usize) -> usize {
    let by_size = || (WORDS / n_tokens.max(1)).clamp(FEWEST_PASSES, MOST_PASSES);
    settings.recurrent_passes.unwrap_or_else(by_size)
}

/// How large the networks are.
fn sizes(training: &Training<'_>) -> Sizes {
    let settings = training.settings;
    let plan = Plan {
        words: RecurrentTraining::passes(training) * training.data.n_tokens(),
        effort: settings.recurrent_effort,
        hidden: settings.recurrent_hidden,
    };
    plan.sizes(settings.recurrent_networks.given(), settings.recurrent_units.given())
}

/// Puts the best network so far among arrays, with its score.
fn save_best(best: Option<&(f64, Encoder)>, arrays: &mut Arrays) {
    if let Some((score, encoder)) = best {
        let mut part = Arrays::default();
        encoder.save(&mut part);
        arrays.set_one("best.score", *score);
        arrays.nest("best", part);
    }
}

/// The best network so far.
fn restore_best(arrays: &Arrays) -> Option<(f64, Encoder)> {
    Some((arrays.one("best.score").ok()?, Encoder::load(&arrays.part("best")).ok()?))
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
    let (mut values, mut shares) = (Vec::new(), Vec::new());
    for example in examples {
        let page = lexicon.open(example.sentence, training.way().order);
        for node in (0..=example.tree.n_tokens()).map(Node::from_index) {
            page.values(node, &mut values);
            let head = if node.index() == 0 { 0 } else { example.tree.head(node).index() };
            shares.clear();
            if let Some(opinion) = example.opinion {
                opinion.shares(node, training.way().order, &mut shares);
            }
            words.push(values.iter().map(Vec::as_slice), u32::try_from(head).unwrap_or(0), &shares);
        }
        words.end_sentence();
    }
    words
}

/// Takes down states for the network.
struct ViewRecorder<'a> {
    views: &'a [View],
    /// Whether places are those of the other direction.
    is_turned: bool,
    n_words: usize,
    /// By question.
    asked: Vec<Asked>,
    has_begun: bool,
    sight: Sight,
}

impl<'a> ViewRecorder<'a> {
    fn new(views: &'a [View], is_turned: bool) -> Self {
        let asked = views.iter().map(|view| Asked::new(view.n_roles(), view.n_marks())).collect();
        Self { views, is_turned, n_words: 0, asked, has_begun: false, sight: Sight::default() }
    }

    fn end_sentence(&mut self) {
        if self.has_begun {
            self.asked.iter_mut().for_each(Asked::end_sentence);
        }
    }
}

impl Recorder for ViewRecorder<'_> {
    fn read(&mut self, reading: Reading<'_>) {
        self.end_sentence();
        self.has_begun = true;
        self.n_words = reading.sentence.n_tokens() + 1;
    }

    fn record(&mut self, question: usize, State { c, focus, .. }: State<'_>, right: &[u32]) {
        let Self { views, is_turned, n_words, asked, sight, .. } = self;
        let view = &views[question];
        view.look(c, focus, sight);
        if *is_turned {
            turn(&mut sight.words[..view.n_roles()], *n_words);
        }
        // Which of several right answers is learned was decided where they were found.
        asked[question].push(&sight.words[..view.n_roles()], &sight.marks[..view.n_marks()], right[0]);
    }
}
