//! Checks the sample treebank for common annotation errors: combinations of tags, labels and lemmas that
//! English Universal Dependencies does not allow. Exceptions are listed here.

use std::collections::BTreeMap;

use quaich::sample;
use quaich::treebank::{Node, ReadOptions, Reader, Sentence, Source};

#[derive(Clone)]
struct Word {
    form: String,
    lemma: String,
    upos: String,
    xpos: String,
    head: usize,
    label: String,
}

/// A sentence as tables; word 0 is the root.
struct Tables {
    words: Vec<Word>,
    dependents: Vec<Vec<usize>>,
}

impl Tables {
    fn of(sentence: &Sentence) -> Self {
        let word = |token: Node| Word {
            form: sentence.cell(token, 1).to_lowercase(),
            lemma: sentence.cell(token, 2).to_owned(),
            upos: sentence.cell(token, 3).to_owned(),
            xpos: sentence.cell(token, 4).to_owned(),
            head: sentence.heads()[token.index()].index(),
            label: sentence.label(token).to_owned(),
        };
        let none = || Word {
            form: String::new(),
            lemma: String::new(),
            upos: String::new(),
            xpos: String::new(),
            head: 0,
            label: String::new(),
        };
        let words: Vec<Word> = std::iter::once(none()).chain(sentence.tokens().map(word)).collect();
        let mut dependents = vec![Vec::new(); words.len()];
        for (i, word) in words.iter().enumerate().skip(1) {
            dependents[word.head].push(i);
        }
        Self { words, dependents }
    }

    fn with_label<'a>(&'a self, word: usize, labels: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
        let is_one = |&dependent: &usize| labels.contains(&self.words[dependent].label.as_str());
        self.dependents[word].iter().copied().filter(is_one)
    }

    fn has(&self, word: usize, labels: &[&str]) -> bool {
        self.with_label(word, labels).next().is_some()
    }

    fn dominates(&self, ancestor: usize, mut word: usize) -> bool {
        while word != 0 {
            word = self.words[word].head;
            if word == ancestor {
                return true;
            }
        }
        false
    }

    /// Whether an arc spans a word that its head does not dominate.
    fn is_non_projective(&self, word: usize) -> bool {
        let head = self.words[word].head;
        (head.min(word) + 1..head.max(word)).any(|between| !self.dominates(head, between))
    }

    /// Words whose arcs are non-projective because of this one.
    fn makes_non_projective(&self, word: usize) -> bool {
        self.words.iter().enumerate().skip(1).any(|(other, w)| {
            let (low, high) = (w.head.min(other), w.head.max(other));
            other != word && w.head != 0 && low < word && word < high && !self.dominates(w.head, word)
        })
    }
}

fn is_in(word: &str, list: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// The Penn tags that are possible with a universal tag.
const XPOS: &[(&str, &str)] = &[
    ("ADJ", "JJ JJR JJS AFX"),
    ("ADP", "IN RP"),
    ("ADV", "RB RBR RBS WRB CC DT IN"),
    ("AUX", "MD VB VBD VBG VBN VBP VBZ"),
    ("CCONJ", "CC"),
    ("DET", "DT PDT WDT PRP$ WP$ CC"),
    ("INTJ", "UH"),
    ("NOUN", "NN NNS"),
    ("NUM", "CD LS"),
    ("PART", "RB TO POS"),
    ("PRON", "PRP PRP$ DT WDT WP WP$ EX NN"),
    ("PROPN", "NNP NNPS"),
    ("PUNCT", ". , : `` '' -LRB- -RRB- HYPH NFP"),
    ("SCONJ", "IN WRB"),
    ("SYM", "SYM $ NFP CC IN"),
    ("VERB", "VB VBD VBG VBN VBP VBZ"),
    ("X", "LS FW GW ADD"),
];

const LABELS: &str = "acl acl:relcl advcl advcl:relcl advmod amod appos aux aux:pass case cc cc:preconj ccomp \
    compound compound:prt conj cop csubj csubj:pass csubj:outer dep det det:predet discourse dislocated expl \
    fixed flat goeswith iobj list mark nmod nmod:poss nmod:tmod nmod:npmod nsubj nsubj:pass nsubj:outer nummod \
    obj obl obl:agent obl:tmod obl:npmod orphan parataxis punct reparandum root vocative xcomp";

/// The possible tags of a word with this label.
const TAGS_OF_LABEL: &[(&str, &str)] = &[
    ("det", "DET"),
    ("det:predet", "DET"),
    ("nummod", "NUM NOUN SYM"),
    ("amod", "ADJ VERB NOUN PROPN ADV DET"),
    ("advmod", "ADV ADJ PART CCONJ DET INTJ ADP NOUN"),
    ("case", "ADP PART SCONJ VERB ADV CCONJ NOUN"),
    ("mark", "SCONJ PART ADP ADV"),
    ("cc", "CCONJ ADV PART SYM"),
    ("cc:preconj", "CCONJ DET PART ADV"),
    ("aux", "AUX"),
    ("aux:pass", "AUX"),
    ("cop", "AUX"),
    ("expl", "PRON"),
    ("punct", "PUNCT"),
    ("compound:prt", "ADP ADV ADJ"),
    ("discourse", "INTJ ADV PART NOUN SYM PROPN"),
    ("vocative", "PROPN NOUN PRON ADJ"),
    ("nmod:poss", "PRON NOUN PROPN NUM"),
];

/// The possible labels of a word with this tag, if they are limited.
const LABELS_OF_TAG: &[(&str, &str)] = &[
    ("ADP", "case compound:prt fixed mark advmod conj root orphan"),
    ("DET", "det det:predet cc:preconj conj advmod fixed"),
    ("SCONJ", "mark fixed case conj"),
    ("CCONJ", "cc cc:preconj fixed advmod"),
    ("AUX", "aux aux:pass cop conj root advcl ccomp parataxis acl:relcl"),
];

/// The labels allowed below a function word.
const BELOW: &[(&str, &str)] = &[
    ("case", "advmod obl obl:npmod obl:tmod fixed goeswith reparandum conj cc"),
    ("mark", "advmod obl obl:npmod obl:tmod fixed goeswith reparandum conj cc"),
    ("aux", "fixed goeswith reparandum conj cc"),
    ("aux:pass", "fixed goeswith reparandum conj cc"),
    ("cop", "fixed goeswith reparandum conj cc"),
    ("cc", "fixed goeswith reparandum conj"),
    ("cc:preconj", "fixed goeswith"),
    ("punct", ""),
    ("fixed", ""),
    ("goeswith", ""),
    ("det", "advmod fixed goeswith reparandum conj cc obl det"),
    ("det:predet", "advmod fixed advcl"),
    ("expl", ""),
    ("compound:prt", "advmod fixed"),
];

/// The tags that the head of a word with this label must not have.
const NOT_ABOVE: &[(&str, &str)] = &[
    ("det", "VERB AUX ADP CCONJ SCONJ PART PUNCT"),
    ("det:predet", "VERB AUX ADP CCONJ SCONJ PART PUNCT"),
    ("amod", "VERB AUX ADP CCONJ SCONJ PART PUNCT"),
    ("nummod", "VERB AUX ADP CCONJ SCONJ PART PUNCT"),
    ("nmod:poss", "VERB AUX ADP CCONJ SCONJ PART PUNCT"),
    ("acl", "VERB AUX ADP CCONJ SCONJ PART PUNCT"),
    ("acl:relcl", "VERB AUX ADP CCONJ SCONJ PART PUNCT"),
    ("nmod", "VERB AUX ADP PUNCT"),
    ("appos", "VERB AUX ADP PUNCT"),
    ("obj", "NOUN PROPN PRON ADP DET"),
    ("iobj", "NOUN PROPN PRON ADP DET"),
];

const CLAUSES: &str = "root conj parataxis ccomp advcl acl:relcl xcomp";
/// Verbs whose past is their infinitive, and nouns whose plural is their singular.
const SAME_PAST: &str = "put set cut let hit shut cost read hurt spread come become run beat burst split quit cast \
    knit bet overcome";
const SAME_PLURAL: &str = "fish sheep people herring salmon cod trousers scissors dozens mackerel deer";

fn allowed(table: &[(&str, &str)], key: &str, value: &str) -> bool {
    table.iter().find(|(name, _)| *name == key).is_none_or(|(_, list)| is_in(value, list))
}

/// Reports errors in the tags and labels of a word and its neighbours.
fn check_relations(t: &Tables, i: usize, report: &mut impl FnMut(usize, String)) {
    let w = &t.words[i];
    let (label, upos) = (w.label.as_str(), w.upos.as_str());
    let head = (w.head > 0).then(|| &t.words[w.head]);
    if (w.head == 0) != (label == "root") {
        report(i, "root is the label of the root and of nothing else".into());
    }
    if !is_in(label, LABELS) {
        report(i, format!("unknown label {label}"));
    }
    if !allowed(TAGS_OF_LABEL, label, upos) || !allowed(LABELS_OF_TAG, upos, label) {
        report(i, format!("{label} on {upos}"));
    }
    if (upos == "PUNCT") != (label == "punct") {
        report(i, "punctuation is punct and nothing else is".into());
    }
    if is_in(label, "conj flat fixed goeswith appos") && w.head > i {
        report(i, format!("{label} goes from left to right"));
    }
    for &dependent in &t.dependents[i] {
        if !allowed(BELOW, label, &t.words[dependent].label) {
            report(dependent, format!("{} is attached to {} ({label})", t.words[dependent].label, w.form));
        }
    }
    if let Some(head) = head {
        let forbidden = NOT_ABOVE.iter().find(|(name, _)| *name == label);
        if forbidden.is_some_and(|(_, list)| is_in(&head.upos, list)) {
            report(i, format!("{label} is attached to {} {}", head.upos, head.form));
        }
        let is_plain = is_in(&head.upos, "NOUN PROPN")
            && !t.has(w.head, &["cop", "nsubj"])
            && !is_in(&head.label, CLAUSES);
        if is_in(label, "obl obl:tmod obl:npmod obl:agent") && is_plain {
            report(i, format!("{label} is attached to a plain noun: nmod?"));
        }
        if label == "cc" && i > w.head && head.label != "root" && !t.has(w.head, &["conj"]) {
            report(i, "a conjunction belongs to the conjunct that follows it".into());
        }
        if label == "cc"
            && i < w.head
            && !is_in(&head.label, "conj root parataxis ccomp list fixed advcl orphan")
        {
            report(i, format!("cc is attached to {} ({})", head.form, head.label));
        }
        if label == "mark"
            && upos == "PART"
            && head.xpos != "VB"
            && !t.has(w.head, &["cop", "aux", "aux:pass"])
        {
            report(i, format!("to is the mark of {}", head.xpos));
        }
        if label == "aux:pass" && head.xpos != "VBN" {
            report(i, format!("aux:pass of {}", head.xpos));
        }
    }
    let is_possessive = |case: usize| t.words[case].xpos == "POS";
    let is_by = |case: usize| t.words[case].lemma == "by";
    let missing = match label {
        "obl:agent" if !t.with_label(i, &["case"]).any(is_by) => "obl:agent without by",
        "nsubj:pass" | "csubj:pass" if !t.has(w.head, &["aux:pass"]) => "passive subject without aux:pass",
        "nsubj" if t.has(w.head, &["aux:pass"]) => "nsubj with aux:pass",
        "obl" if upos != "ADV" && !t.has(i, &["case", "mark"]) => "obl without case: obl:tmod, obl:npmod?",
        "nmod" if !t.has(i, &["case"]) => "nmod without case",
        "nmod:poss" if is_in(upos, "NOUN PROPN") && !t.with_label(i, &["case"]).any(is_possessive) => {
            "nmod:poss without 's"
        }
        "cop" if w.lemma != "be" => "a copula that is not be",
        "aux:pass" if !is_in(&w.lemma, "be get") => "aux:pass that is neither be nor get",
        "punct" if t.is_non_projective(i) => "punctuation on a non-projective arc",
        "punct" if t.makes_non_projective(i) => "punctuation that makes another arc non-projective",
        _ => "",
    };
    if !missing.is_empty() {
        report(i, missing.into());
    }
    if upos == "AUX" && is_in(label, CLAUSES) && t.has(i, &["obj", "xcomp"]) {
        report(i, "AUX heads a clause with complements".into());
    }
    let count = |labels: &[&str]| t.with_label(i, labels).count();
    if count(&["nsubj", "nsubj:pass", "csubj", "csubj:pass"]) > 1
        || count(&["obj"]) > 1
        || count(&["cop"]) > 1
    {
        report(i, "more than one subject, object or copula".into());
    }
}

/// Reports errors in the lemma and the fine tag of a word.
fn check_word(t: &Tables, i: usize, report: &mut impl FnMut(usize, String)) {
    let w = &t.words[i];
    let (label, upos, xpos) = (w.label.as_str(), w.upos.as_str(), w.xpos.as_str());
    if !XPOS.iter().any(|(tag, list)| *tag == upos && is_in(xpos, list)) {
        report(i, format!("{xpos} does not go with {upos}"));
    }
    let lemma = w.lemma.as_str();
    let is_form = lemma.to_lowercase() == w.form;
    let wrong = match xpos {
        "NNP" if !is_form => "the lemma of a name is its form",
        "VBD" | "VBN" | "VBG" | "VBZ" if is_form && !is_in(lemma, SAME_PAST) => "an inflected form as lemma",
        "VB" | "VBP" if upos == "VERB" && !is_form && !is_in(&w.form, "'ve 'd") => {
            "lemma of an uninflected verb"
        }
        "NNS"
            if is_form && !w.form.starts_with(|c: char| c.is_ascii_digit()) && !is_in(lemma, SAME_PLURAL) =>
        {
            "a plural as lemma"
        }
        "NN" | "JJ" if !is_form => "lemma of an uninflected word",
        "PRP" if w.form == "i" && lemma != "I" => "the lemma of I is I",
        "POS" if label != "case" => "'s as something other than case",
        "MD" if label != "aux" && !is_in(label, CLAUSES) => "a modal as something other than aux",
        "VBD" if t.has(i, &["aux", "aux:pass"]) => "VBD with an auxiliary: VBN?",
        "VBN"
            if upos == "VERB"
                && !is_in(label, "acl amod conj advcl xcomp case compound")
                && !t.has(i, &["aux", "aux:pass"]) =>
        {
            "VBN without an auxiliary"
        }
        "VB" if upos == "VERB"
            && t.has(i, &["nsubj"])
            && !t.has(i, &["aux", "mark"])
            && !is_in(label, "ccomp xcomp conj") =>
        {
            "VB with a subject and no auxiliary"
        }
        _ => "",
    };
    if !wrong.is_empty() {
        report(i, wrong.into());
    }
    if upos != "PROPN" && lemma != "I" && lemma != lemma.to_lowercase() {
        report(i, "a lemma is in lower case".into());
    }
    let is_not = upos == "PART" && xpos == "RB" && lemma == "not" && label == "advmod";
    if is_in(&w.form, "n't not") && !is_not && !is_in(label, "fixed cc cc:preconj") {
        report(i, "not is PART RB advmod".into());
    }
    if is_in(&w.form, "be is are was were am been being 're 'm ai") && xpos.starts_with("VB") && lemma != "be"
    {
        report(i, "the lemma is be".into());
    }
    if upos == "VERB" && lemma == "be" && !t.has(i, &["expl", "advmod", "ccomp", "nsubj"]) {
        report(i, "be as a full verb".into());
    }
    if upos == "VERB" && is_in(lemma, "can will would could may might must shall should") {
        report(i, "a modal as VERB".into());
    }
}

fn check_sentence(t: &Tables, report: &mut impl FnMut(usize, String)) {
    let roots: Vec<usize> = t.dependents[0].clone();
    if roots.len() != 1 {
        report(0, format!("{} roots", roots.len()));
    }
    for i in 1..t.words.len() {
        check_relations(t, i, report);
        check_word(t, i, report);
    }
    let last = t.words.len() - 1;
    if t.words[last].xpos == "." && Some(&t.words[last].head) != roots.first() {
        report(last, "final punctuation is not attached to the root".into());
    }
}

fn sentences(text: &'static str) -> impl Iterator<Item = Sentence> {
    let source = Source::from_stream(text.as_bytes(), "sample".to_owned(), None).unwrap();
    Reader::new(source, &ReadOptions::default()).unwrap().sentences().map(Result::unwrap)
}

/// Checks the errors found in a sentence given as `form lemma upos xpos head label` rows.
fn check(rows: &[&str], expected: &[&str]) {
    let row = |(i, row): (usize, &&str)| {
        let c: Vec<&str> = row.split(' ').collect();
        format!("{}\t{}\t{}\t{}\t{}\t_\t{}\t{}\t_\t_\n", i + 1, c[0], c[1], c[2], c[3], c[4], c[5])
    };
    let text: String = rows.iter().enumerate().map(row).collect();
    let source = Source::from_stream(std::io::Cursor::new(text.into_bytes()), "f".to_owned(), None).unwrap();
    let sentence = Reader::new(source, &ReadOptions::default()).unwrap().sentences().next().unwrap().unwrap();
    let mut found = Vec::new();
    check_sentence(&Tables::of(&sentence), &mut |i, what| found.push(format!("{i}: {what}")));
    assert_eq!(found, expected);
}

#[test]
fn errors_are_found() {
    check(&["He he PRON PRP 2 nsubj", "slept sleep VERB VBD 0 root", ". . PUNCT . 2 punct"], &[]);
    check(&["He he PRON PRP 2 nsubj", "slept slept VERB VBD 0 root"], &["2: an inflected form as lemma"]);
    check(
        &[
            "It it PRON PRP 2 nsubj",
            "rained rain VERB VBD 0 root",
            "and and CCONJ CC 2 cc",
            "snowed snow VERB VBD 2 dep",
        ],
        &[],
    );
    check(
        &[
            "the the DET DT 2 det",
            "cats cats NOUN NNS 3 nsubj",
            "sleep sleep VERB VBP 0 root",
            "he he PRON PRP 3 nsubj",
        ],
        &["2: a plural as lemma", "3: more than one subject, object or copula"],
    );
    check(
        &["to to PART TO 2 case", "him he PRON PRP 3 obl", "went go VERB VBD 0 root", "! ! PUNCT . 2 punct"],
        &["4: punctuation on a non-projective arc", "4: final punctuation is not attached to the root"],
    );
}

#[test]
fn the_sample_has_no_annotation_errors() {
    let mut errors = Vec::new();
    let mut texts = BTreeMap::new();
    for (_, part) in sample::PARTS {
        for sentence in sentences(part) {
            let id = sentence.comment("sent_id").expect("every sentence has an id").to_owned();
            let text = sentence.comment("text").expect("every sentence has its text").to_owned();
            check_sentence(&Tables::of(&sentence), &mut |i, what| {
                errors.push(format!("{id} word {i}: {what}   [{text}]"));
            });
            if let Some(other) = texts.insert(text, id.clone()) {
                errors.push(format!("{id} has the same text as {other}"));
            }
        }
    }
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
    assert_eq!(texts.len(), 330);
}

#[test]
fn the_sample_has_the_documented_non_projectivity() {
    let counts = sample::PARTS.map(|(_, part)| {
        let is_non_projective = |t: &Tables| {
            let word_arcs = (1..t.words.len()).filter(|&i| t.words[i].head != 0);
            word_arcs.into_iter().any(|i| t.is_non_projective(i))
        };
        sentences(part).filter(|sentence| is_non_projective(&Tables::of(sentence))).count()
    });
    assert_eq!(counts, [44, 6, 6], "data/sample/README.md says so");
}
