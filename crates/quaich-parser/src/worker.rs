//! The [`Worker`] that each thread gets from a [`Model`]: sentence → encodings → members → vote → tree.

use std::any::Any;
use std::sync::Arc;

use quaich_features::Order;
use quaich_learn::encoder::Encoding;
use quaich_transition::configuration::Configuration;
use quaich_transition::constraints::complete;
use quaich_transition::trace::{Ending, Snapshot, Trace, TraceStep};
use quaich_treebank::formats::conllu;
use quaich_treebank::{Node, Role, Sentence, Tree};

use crate::calibration::Evidence;
use crate::consumers::TagScratch;
use crate::decoder::{Job, Recording, Steps};
use crate::encoder::{HeadScores, SentenceEncoder, SentenceEncoding};
use crate::ensemble::voting::{Ask, Ballots, Voters, Voting};
use crate::error::Result;
use crate::given::{self, Given};
use crate::head_distribution::HeadDistribution;
use crate::model::{Member, Model, Parts};
use crate::parsed::Parsed;
use crate::spans::Spans;
use crate::trace::{ParseEnding, ParseTrace, gold_tree};

/// The buffers that one thread needs to parse, reused from sentence to sentence. A worker owns a handle to its model and can be sent to
/// other threads.
///
/// ```
/// # use quaich_parser::{Settings, Trainer};
/// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
/// # let treebank = quaich_treebank::Treebank::from_text(&text.repeat(10))?;
/// # let model = Trainer::new(&Settings::default().with("learner=linear")?).train(&treebank)?;
/// let mut worker = model.worker();
/// drop(model); // the worker holds it
/// let tree = std::thread::spawn(move || worker.parse(&treebank[0]).clone()).join().unwrap();
/// assert!(tree.is_well_formed());
/// # Ok::<(), quaich_parser::Error>(())
/// ```
#[derive(Debug)]
pub struct Worker {
    model: Model,
    encodings: Encodings,
    members: Vec<MemberWorker>,
    voting: Voting,
    heads: HeadScores,
    probabilities: Vec<f32>,
    tags: TagScratch,
    /// The worker of the model for untagged words.
    untagged: Option<Box<Worker>>,
    /// Its last tree, with the labels of this model.
    relabelled: Tree,
    keep: Keep,
    keep_given: bool,
    keep_spans: bool,
    /// The heads that the last sentence had to keep, if any.
    given: Option<Given>,
    /// The number of them that were set after the parse.
    n_set_afterwards: usize,
}

/// The columns of a sentence that are kept; the others are predicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// Tags, features and lemmas if the sentence has tags; otherwise the words.
    #[default]
    Detect,
    /// The words.
    Tokens,
    /// The words, tags and features.
    Tags,
    /// Everything except heads and labels.
    Lemmas,
    /// Everything the sentence has; empty columns are predicted, and heads and labels if no word has a head.
    Trees,
}

/// The encodings of the current sentence, each computed on first use.
#[derive(Debug)]
struct Encodings {
    /// One entry per encoder: whether the encoding is up to date, and the encoding.
    list: Vec<(bool, SentenceEncoding)>,
}

/// The buffers that one thread needs to parse with a member.
struct MemberWorker {
    scratch: Box<dyn Any + Send>,
    configuration: Configuration,
    /// Indexed by node; in the parser's reading order during the parse, in sentence order afterwards.
    evidence: Vec<Evidence>,
    inverse_scratch: quaich_transform::Scratch,
    tree: Tree,
    /// The given arcs, with the labels of the member.
    given: Tree,
    /// The number of given heads that the parse did not have.
    n_missing: usize,
}

impl Encodings {
    /// Marks all encodings as outdated.
    fn forget(&mut self) {
        self.list.iter_mut().for_each(|(is_filled, _)| *is_filled = false);
    }

    /// The first encoder's encoding of the last sentence.
    fn first(&self) -> &[Encoding] {
        self.list.first().map_or(&[], |(_, encoding)| encoding.networks())
    }

    /// An encoder's encoding of the current sentence.
    fn get(&mut self, parts: &Parts, encoder: usize, sentence: &Sentence) -> &SentenceEncoding {
        let (is_filled, encoding) = &mut self.list[encoder];
        if !std::mem::replace(is_filled, true) {
            parts.encoders[encoder].encode(sentence, encoding);
        }
        encoding
    }
}

impl std::fmt::Debug for MemberWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemberWorker").field("tree", &self.tree).finish_non_exhaustive()
    }
}

impl MemberWorker {
    fn new(member: &Member) -> Self {
        Self {
            scratch: member.decoder.scratch(),
            configuration: Configuration::new(),
            evidence: Vec::new(),
            inverse_scratch: quaich_transform::Scratch::default(),
            tree: Tree::default(),
            given: Tree::default(),
            n_missing: 0,
        }
    }

    /// Parses a sentence.
    fn parse(
        &mut self,
        member: &Member,
        (sentence, encoding, given): MemberInput<'_>,
        recording: Recording<'_>,
    ) {
        let scheme = &member.scheme;
        let mut constraint = None;
        if given.is_some_and(|given| given.write_constraint(sentence, scheme, &mut self.given)) {
            constraint = Some(scheme.plan.in_reading_order(std::mem::take(&mut self.given)));
        }
        let job = Job { sentence, encoding, context: scheme.context(), given: constraint.as_ref() };
        member.decoder.decode(job, &mut *self.scratch, &mut self.configuration, recording);
        self.finish(member, sentence, given);
    }

    /// Parses a sentence and records the evidence for the arc of each node.
    fn parse_with_evidence(&mut self, member: &Member, input: MemberInput<'_>) {
        let mut evidence = std::mem::take(&mut self.evidence);
        self.parse(member, input, Recording::Evidence(&mut evidence));
        if member.scheme.plan.order() == Order::RightToLeft {
            evidence[1..].reverse();
        }
        self.evidence = evidence;
    }

    /// Takes the tree from the configuration, restores the sentence order, inverts the transformation, and sets the given
    /// heads that are missing.
    fn finish(&mut self, member: &Member, sentence: &Sentence, given: Option<&Given>) {
        self.configuration.write_tree(&mut self.tree);
        let plan = &member.scheme.plan;
        if plan.order() == Order::RightToLeft {
            self.tree = plan.in_reading_order(std::mem::take(&mut self.tree));
        }
        if let Some(given) = given {
            member.scheme.unmark(given, &mut self.tree);
        }
        if let Some(inverse) = &member.scheme.inverse {
            inverse.invert(sentence, &mut self.tree, &mut self.inverse_scratch);
        }
        self.n_missing = given.map_or(0, |given| {
            given.write_tree(sentence, |text| member.scheme.labels.get(text), &mut self.given);
            complete(&mut self.tree, &self.given, plan.single_root)
        });
    }
}

/// The input of a member: a sentence, its encoding, and the heads that it must keep.
type MemberInput<'a> = (&'a Sentence, Option<&'a SentenceEncoding>, Option<&'a Given>);

/// The members of a model as voters on one sentence.
struct MemberVoters<'w> {
    parts: &'w Parts,
    sentence: &'w Sentence,
    encodings: &'w mut Encodings,
    members: &'w mut [MemberWorker],
    heads: &'w mut HeadScores,
    given: Option<&'w Given>,
}

impl Voters for MemberVoters<'_> {
    fn tree(&mut self, number: usize) -> &Tree {
        let member = &self.parts.members[number];
        let encoding = member.encoder.map(|encoder| self.encodings.get(self.parts, encoder, self.sentence));
        let worker = &mut self.members[number];
        worker.parse(member, (self.sentence, encoding, self.given), Recording::Nothing);
        &worker.tree
    }

    fn heads(&mut self, encoder: usize) -> &[f32] {
        let encoding = self.encodings.get(self.parts, encoder, self.sentence);
        let encoder: &SentenceEncoder = &self.parts.encoders[encoder];
        encoder.head_scores(encoding, self.heads)
    }

    fn given(&self) -> Option<&Given> {
        self.given
    }
}

/// The name of the attribute that holds a score.
const SCORE: &str = "Score=";

impl Model {
    /// Returns the buffers that a thread needs to parse.
    pub fn worker(&self) -> Worker {
        Worker::new(self.clone())
    }
}

impl Worker {
    fn new(model: Model) -> Self {
        let parts = model.parts();
        let encodings = Encodings { list: parts.encoders.iter().map(|_| Default::default()).collect() };
        let members = parts.members.iter().map(MemberWorker::new).collect();
        Self {
            encodings,
            members,
            voting: Voting::default(),
            heads: HeadScores::default(),
            probabilities: Vec::new(),
            tags: TagScratch::default(),
            untagged: model.untagged().map(|untagged| Box::new(untagged.worker())),
            relabelled: Tree::default(),
            keep: Keep::default(),
            keep_given: false,
            keep_spans: false,
            given: None,
            n_set_afterwards: 0,
            model,
        }
    }

    /// Sets what is kept of the columns of sentences.
    pub fn keep(&mut self, keep: Keep) {
        self.keep = keep;
    }

    /// Sets whether parses keep the heads that a sentence has, and the labels of these unless they are `_`: constrained parsing. The
    /// heads must not form a cycle; a sentence whose heads do is parsed as if it had none.
    ///
    /// ```
    /// # use quaich_parser::{Settings, Trainer};
    /// # use quaich_treebank::Treebank;
    /// # let text = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n";
    /// # let model = Trainer::new(&Settings::default().with("learner=linear")?).train(&Treebank::from_text(&text.repeat(10))?)?;
    /// let partial = "1\tCats\tcat\tNOUN\t_\t_\t0\t_\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t_\t_\t_\t_\n\n";
    /// let mut worker = model.worker();
    /// worker.keep_given(true);
    /// let tree = worker.parse(&Treebank::from_text(partial)?[0]);
    /// assert_eq!(tree.heads()[1..].iter().map(|head| head.0).collect::<Vec<_>>(), [0, 1]);
    /// # Ok::<(), quaich_parser::Error>(())
    /// ```
    pub fn keep_given(&mut self, keep_given: bool) {
        self.keep_given = keep_given;
        if let Some(untagged) = &mut self.untagged {
            untagged.keep_given(keep_given);
        }
    }

    /// Sets whether parses keep the phrases together that a sentence marks with comments `# span = 2-4`: one word of a phrase has its head
    /// outside. Comments that do not name the words of a phrase are ignored.
    pub fn keep_spans(&mut self, keep_spans: bool) {
        self.keep_spans = keep_spans;
        if let Some(untagged) = &mut self.untagged {
            untagged.keep_spans(keep_spans);
        }
    }

    /// The number of given heads that the parsers of the model could not build together in the last sentence, for example because they
    /// cross or make several roots. They were set after the parse.
    pub fn n_set_afterwards(&self, sentence: &Sentence) -> usize {
        match &self.untagged {
            Some(untagged) if self.is_untagged(sentence) => untagged.n_set_afterwards,
            _ => self.n_set_afterwards,
        }
    }

    /// Whether the model for untagged words parses a sentence.
    pub(crate) fn is_untagged(&self, sentence: &Sentence) -> bool {
        let Some(untagged) = &self.untagged else { return false };
        match self.keep {
            Keep::Tokens => true,
            Keep::Tags | Keep::Lemmas => false,
            Keep::Trees if has_heads(sentence) => false,
            Keep::Trees | Keep::Detect => !has_tags(sentence, untagged.model.parts().predicted_roles()),
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The model that parses a sentence: the one for untagged words if the sentence has none, otherwise this worker's model.
    pub fn model_for(&self, sentence: &Sentence) -> &Model {
        match &self.untagged {
            Some(untagged) if self.is_untagged(sentence) => &untagged.model,
            _ => &self.model,
        }
    }

    /// Parses a sentence. The result is always a well-formed tree; its labels are those of [`Model::labels`].
    pub fn parse(&mut self, sentence: &Sentence) -> &Tree {
        if self.is_untagged(sentence)
            && let Some(untagged) = &mut self.untagged
        {
            let tree = untagged.parse(sentence);
            return relabel(&self.model, tree, &mut self.relabelled);
        }
        self.read_given(sentence);
        self.run(sentence);
        self.last_tree()
    }

    /// Finds out what the parse of a sentence must keep.
    fn read_given(&mut self, sentence: &Sentence) {
        self.n_set_afterwards = 0;
        if !self.keep_given && !self.keep_spans {
            return;
        }
        let mut given = self.given.take().unwrap_or_default();
        if self.keep_given && given::cycle(sentence).is_none() {
            given.read(sentence);
        } else {
            given.clear(sentence.n_tokens());
        }
        let spans = if self.keep_spans { Spans::of(sentence).unwrap_or_default() } else { Spans::default() };
        if spans.is_empty() {
            self.given = Some(given).filter(|given| !given.is_empty());
            return;
        }
        // The parser's own tree says where phrases fall apart, and what holds them together.
        self.given = Some(given);
        self.run(sentence);
        let mut given = self.given.take().unwrap_or_default();
        spans.close(self.last_tree(), &mut given);
        self.given = Some(given);
    }

    /// Parses a sentence; the result is the last tree.
    fn run(&mut self, sentence: &Sentence) {
        self.encodings.forget();
        let parts = self.model.parts();
        let Self { encodings, members, voting, heads, given, .. } = self;
        let mut voters = MemberVoters { parts, sentence, encodings, members, heads, given: given.as_ref() };
        match &parts.ensemble {
            Some(ensemble) => {
                voting.vote(ensemble, sentence, &mut voters);
            }
            None => {
                voters.tree(0);
            }
        }
        self.complete_winner(sentence);
    }

    /// Makes sure that the winner of a vote has all given heads, and counts those that were missing in the trees.
    fn complete_winner(&mut self, sentence: &Sentence) {
        let Some(given) = &self.given else { return };
        self.n_set_afterwards = self.members.iter().map(|member| member.n_missing).max().unwrap_or(0);
        let parts = self.model.parts();
        if let Some(ensemble) = &parts.ensemble {
            let mut arcs = Tree::default();
            given.write_tree(sentence, |text| ensemble.labels().get(text), &mut arcs);
            complete(self.voting.winner_mut(), &arcs, ensemble.description().rules.single_root);
        }
    }

    /// Parses a sentence and returns the probability that each token's head and label are correct. `probabilities` is indexed by node;
    /// entry 0 has no meaning.
    pub fn parse_with_scores(&mut self, sentence: &Sentence, probabilities: &mut Vec<f32>) -> &Tree {
        if self.is_untagged(sentence)
            && let Some(untagged) = &mut self.untagged
        {
            let tree = untagged.parse_with_scores(sentence, probabilities);
            return relabel(&self.model, tree, &mut self.relabelled);
        }
        if self.model.parts().ensemble.is_some() {
            self.read_given(sentence);
        }
        if let Some(ensemble) = &self.model.parts().ensemble {
            self.encodings.forget();
            let parts = self.model.parts();
            let Self { encodings, members, voting, heads, given, .. } = self;
            let mut voters =
                MemberVoters { parts, sentence, encodings, members, heads, given: given.as_ref() };
            voting.vote_with_scores(ensemble, sentence, &mut voters, probabilities);
            self.complete_winner(sentence);
        } else {
            let calibration = self.model.calibration();
            let (_, evidence) = self.parse_with_evidence(sentence);
            probabilities.clear();
            probabilities.extend(evidence.iter().map(|&evidence| calibration.probability(evidence)));
        }
        if let Some(given) = &self.given {
            let is_given = |token: &Node| given.is_labelled(*token);
            sentence.tokens().filter(is_given).for_each(|token| probabilities[token.index()] = 1.0);
        }
        self.last_tree()
    }

    /// Parses a sentence and returns its words with heads, labels and probabilities.
    pub fn parse_sentence(&mut self, sentence: &Sentence) -> Parsed {
        let mut probabilities = Vec::new();
        let tree = self.parse_with_scores(sentence, &mut probabilities).clone();
        let empty = self.empty_columns(sentence);
        let is_untagged = self.is_untagged(sentence);
        let filled = if is_untagged { self.with_predicted(sentence, &empty) } else { None };
        Parsed::new(filled.unwrap_or_else(|| sentence.clone()), tree, probabilities, self.model.clone())
    }

    /// Parses untagged words. Returns an error if a word cannot occur in a treebank.
    pub fn parse_words(&mut self, words: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Parsed> {
        let words: Vec<_> = words.into_iter().collect();
        let layout = Arc::new(conllu::layout());
        let sentence = Sentence::from_words(&layout, words.iter().map(AsRef::as_ref))?;
        Ok(self.parse_sentence(&sentence))
    }

    /// Parses a sentence with the first member and returns the evidence for the arc of each node.
    pub(crate) fn parse_with_evidence(&mut self, sentence: &Sentence) -> (&Tree, &[Evidence]) {
        self.read_given(sentence);
        self.encodings.forget();
        let parts = self.model.parts();
        let member = &parts.members[0];
        let encoding = member.encoder.map(|encoder| self.encodings.get(parts, encoder, sentence));
        let worker = &mut self.members[0];
        worker.parse_with_evidence(member, (sentence, encoding, self.given.as_ref()));
        self.n_set_afterwards = worker.n_missing;
        (&worker.tree, &worker.evidence)
    }

    /// The trees and head scores of all members of an ensemble.
    ///
    /// # Panics
    /// If the model is not an ensemble.
    pub(crate) fn ballots(&mut self, sentence: &Sentence) -> &Ballots {
        self.encodings.forget();
        let parts = self.model.parts();
        let Self { encodings, members, voting, heads, .. } = self;
        let mut voters = MemberVoters { parts, sentence, encodings, members, heads, given: None };
        voting.ask(parts.ensemble.as_ref().expect("an ensemble"), &mut voters, Ask::All)
    }

    /// The ensemble's head distributions for the last parsed sentence; `None` for a single parser.
    pub(crate) fn head_distribution(&self, sentence: &Sentence) -> Option<HeadDistribution> {
        if let Some(untagged) = self.untagged.as_ref().filter(|_| self.is_untagged(sentence)) {
            return untagged.head_distribution(sentence);
        }
        let vote = self.voting.last_vote();
        self.model.parts().ensemble.is_some().then(|| HeadDistribution::of(vote, sentence.n_tokens()))
    }

    /// Parses a sentence and returns every step with the scores of the model; for an ensemble, those of the first parser. If the sentence
    /// has a gold tree, dynamic oracles are queried with it. Labels are those of [`model_for`](Self::model_for).
    pub fn trace(&mut self, sentence: &Sentence) -> ParseTrace {
        let start = self.trace_start(sentence, usize::MAX);
        let mut steps = Vec::new();
        let ParseEnding { derivation, tree } =
            self.trace_steps(sentence, usize::MAX, &mut |step| steps.push(step));
        let Ending { finish, tree: derived } = derivation;
        ParseTrace { derivation: Trace { start, steps, finish, tree: derived }, tree }
    }

    /// The initial configuration for a sentence, showing at most `shown` nodes of the stacks and the buffer.
    pub fn trace_start(&mut self, sentence: &Sentence, shown: usize) -> Snapshot {
        if self.is_untagged(sentence)
            && let Some(untagged) = &mut self.untagged
        {
            return untagged.trace_start(sentence, shown);
        }
        let scheme = &self.model.parts().members[0].scheme;
        let n_tokens = sentence.n_tokens();
        let c = &mut self.members[0].configuration;
        let mut start = Snapshot::start(&*scheme.system, n_tokens, c, shown);
        if scheme.plan.order() == Order::RightToLeft {
            start.mirror(n_tokens);
        }
        start
    }

    /// Parses a sentence like [`trace`](Self::trace), but passes each step to `visit` instead of storing it, so that long sentences take
    /// little memory. Each step shows at most `shown` nodes of the stacks and the buffer.
    pub fn trace_steps(
        &mut self,
        sentence: &Sentence,
        shown: usize,
        visit: &mut dyn FnMut(TraceStep),
    ) -> ParseEnding {
        if self.is_untagged(sentence)
            && let Some(untagged) = &mut self.untagged
        {
            return untagged.trace_steps(sentence, shown, visit);
        }
        self.encodings.forget();
        let parts = self.model.parts();
        let member = &parts.members[0];
        let plan = &member.scheme.plan;
        let gold = gold_tree(plan, sentence);
        let reversed = plan.order() == Order::RightToLeft;
        let mut derivation = Ending::default();
        let mut visit = |mut step: TraceStep| {
            if reversed {
                step.mirror(sentence.n_tokens());
            }
            visit(step);
        };
        let recording = Steps { gold: gold.as_ref(), shown, visit: &mut visit, ending: &mut derivation };
        let encoding = member.encoder.map(|encoder| self.encodings.get(parts, encoder, sentence));
        let worker = &mut self.members[0];
        worker.parse(member, (sentence, encoding, None), Recording::Steps(recording));
        if reversed {
            derivation.mirror();
        }
        ParseEnding { derivation, tree: worker.tree.clone() }
    }

    /// Parses a sentence and appends its text with the new heads and labels to `out`. With `scores`, also writes each probability to the
    /// MISC column, if there is one.
    pub fn parse_text(&mut self, sentence: &Sentence, scores: bool, out: &mut Vec<u8>) {
        if self.is_untagged(sentence) {
            let empty = (self.keep == Keep::Trees).then(|| self.empty_columns(sentence));
            if let Some(untagged) = &mut self.untagged {
                let predicted = empty.unwrap_or_else(|| untagged.model.parts().predicted_roles().collect());
                return untagged.write_parsed(sentence, &predicted, scores, out);
            }
        }
        let filled = match self.keep {
            Keep::Tags => self.with_predicted(sentence, &[Role::Lemma]),
            Keep::Trees => {
                let filled = self.with_predicted(sentence, &self.empty_columns(sentence));
                if has_heads(sentence) {
                    out.extend_from_slice(filled.as_ref().unwrap_or(sentence).text().as_bytes());
                    return;
                }
                filled
            }
            _ => None,
        };
        let predicted: Vec<Role> = self.model.parts().predicted_roles().collect();
        self.write_parsed(filled.as_ref().unwrap_or(sentence), &predicted, scores, out);
    }

    /// Parses a sentence and appends its text with the new heads and labels, and with these columns predicted.
    fn write_parsed(&mut self, sentence: &Sentence, predicted: &[Role], scores: bool, out: &mut Vec<u8>) {
        let layout = sentence.layout();
        let role_of = |column: usize| layout.columns()[column].role;
        let wanted =
            if scores { &[Role::Head, Role::Label, Role::Misc][..] } else { &[Role::Head, Role::Label] };
        let mut columns = [0; 8];
        let mut n_columns = 0;
        for column in wanted.iter().chain(predicted).filter_map(|&role| layout.position(role)) {
            columns[n_columns] = column;
            n_columns += 1;
        }
        columns[..n_columns].sort_unstable();
        let (mut probabilities, mut tags) =
            (std::mem::take(&mut self.probabilities), std::mem::take(&mut self.tags));
        if scores {
            self.parse_with_scores(sentence, &mut probabilities);
        } else {
            self.parse(sentence);
        }
        let parts = self.model.parts();
        let (labels, tree) = (parts.labels(), self.last_tree());
        let (tagger, encodings, given) = (parts.tagger(), self.encodings.first(), self.given.as_ref());
        let mut tagged = Node::ROOT;
        sentence.write_replacing(out, &columns[..n_columns], |token, column, out| match role_of(column) {
            Role::Head => write_number(tree.head(token).0, out),
            // It may be a label that the model does not know.
            Role::Label if given.is_some_and(|given| given.is_labelled(token)) => {
                out.extend_from_slice(sentence.cell(token, column).as_bytes());
            }
            Role::Label => {
                let label = tree.label(token);
                out.extend_from_slice(if label.is_none() { b"_" } else { labels.text(label).as_bytes() });
            }
            role if role != Role::Misc => {
                let Some(tagger) = tagger else { return };
                if std::mem::replace(&mut tagged, token) != token {
                    tagger.tag(encodings, sentence, token, &mut tags);
                }
                out.extend_from_slice(tagger.cell(role, &tags).unwrap_or("_").as_bytes());
            }
            _ => {
                // Replaces an existing score.
                let is_kept = |part: &&str| !part.starts_with(SCORE);
                for part in
                    sentence.cell(token, column).split('|').filter(|part| *part != "_").filter(is_kept)
                {
                    out.extend_from_slice(part.as_bytes());
                    out.push(b'|');
                }
                let probability = probabilities[token.index()];
                out.extend_from_slice(format!("{SCORE}{probability:.4}").as_bytes());
            }
        });
        (self.probabilities, self.tags) = (probabilities, tags);
    }

    /// The columns that the model for untagged words predicts, and that the sentence does not have.
    fn empty_columns(&self, sentence: &Sentence) -> Vec<Role> {
        let predicted = self.untagged.iter().flat_map(|untagged| untagged.model.parts().predicted_roles());
        predicted.filter(|&role| !has_values(sentence, role)).collect()
    }

    /// The sentence with these columns as the model for untagged words predicts them; none if it predicts none of them.
    fn with_predicted(&mut self, sentence: &Sentence, roles: &[Role]) -> Option<Sentence> {
        let untagged = self.untagged.as_mut()?;
        let layout = sentence.layout();
        let predicted: Vec<Role> = untagged.model.parts().predicted_roles().collect();
        let wanted = roles.iter().filter(|role| predicted.contains(role));
        let mut columns: Vec<usize> = wanted.filter_map(|&role| layout.position(role)).collect();
        columns.sort_unstable();
        if columns.is_empty() {
            return None;
        }
        untagged.parse(sentence);
        let Worker { model, encodings, tags, .. } = &mut **untagged;
        let tagger = model.parts().tagger()?;
        let (mut text, mut tagged) = (Vec::new(), Node::ROOT);
        sentence.write_replacing(&mut text, &columns, |token, column, out| {
            if std::mem::replace(&mut tagged, token) != token {
                tagger.tag(encodings.first(), sentence, token, tags);
            }
            out.extend_from_slice(tagger.cell(layout.columns()[column].role, tags).unwrap_or("_").as_bytes());
        });
        let mut filled = Sentence::empty(Arc::clone(layout));
        filled.read_block(layout, &text, sentence.first_line(), &mut Vec::new());
        Some(filled)
    }

    /// The tree of the last parsed sentence.
    fn last_tree(&self) -> &Tree {
        match self.model.parts().ensemble {
            Some(_) => self.voting.winner(),
            None => &self.members[0].tree,
        }
    }
}

/// Whether a word of a sentence has a head.
fn has_heads(sentence: &Sentence) -> bool {
    sentence.heads()[1..].iter().any(|head| head.is_some())
}

/// Whether a sentence has a value in one of these columns, lemmas left out.
fn has_tags(sentence: &Sentence, mut roles: impl Iterator<Item = Role>) -> bool {
    roles.any(|role| role != Role::Lemma && has_values(sentence, role))
}

/// Whether a sentence has a value in a column.
fn has_values(sentence: &Sentence, role: Role) -> bool {
    let column = sentence.layout().position(role);
    column.is_some_and(|column| sentence.tokens().any(|token| sentence.cell(token, column) != "_"))
}

/// The tree of the model for untagged words, with the labels of the other.
fn relabel<'t>(model: &Model, tree: &Tree, into: &'t mut Tree) -> &'t Tree {
    if let Some(untagged) = &model.parts().untagged {
        untagged.relabel(tree, into);
    }
    into
}

/// Appends a number in decimal.
fn write_number(mut number: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + u8::try_from(number % 10).expect("a digit");
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}
