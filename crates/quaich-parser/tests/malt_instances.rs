//! Agreement with `MaltParser` 1.9.2: the instances that it passes to LIBLINEAR, compared irrespective of numbering.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use quaich_features::{NamedModel, Notation};
use quaich_parser::instances::{Format, MaltInstances, MaltRun};
use quaich_testkit::treebanks;
use quaich_transform::{Operation, PseudoProjective, Rewriter};
use quaich_transition::configuration::Configuration;
use quaich_transition::gold::Gold;
use quaich_transition::malt::MaltSystemOptions;
use quaich_transition::oracle::derives;
use quaich_transition::transition::{KindSet, Transition};
use quaich_transition::watcher::Watcher;
use quaich_treebank::{Label, ReadOptions, Reader, Symbols};

/// The number of sentences given to `MaltParser`, and the number of its instances in the recorded descriptions.
const SENTENCES: usize = 60;
const DESCRIBED: usize = 800;

fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/malt-vectors/instances")
}

/// The lines of each classifier, by name.
fn instances(flags: &str, treebank: &Path, sentences: usize) -> BTreeMap<String, Vec<String>> {
    let run = MaltRun::parse(flags).unwrap();
    let features = match &run.features {
        Some(file) => {
            let text = fs::read_to_string(vectors().join(file)).unwrap();
            Notation::of(Path::new(file), &text).parse(&text, run.options()).unwrap()
        }
        None => run.own_features().unwrap(),
    };
    let mut found = BTreeMap::<String, Vec<String>>::new();
    let mut keep = |classifier: &str, line: &str| {
        found.entry(classifier.to_owned()).or_default().push(line.to_owned());
        Ok(())
    };
    let mut instances = MaltInstances::new(&run, &features, Format::Liblinear).unwrap();
    let mut reader = Reader::open(treebank, &ReadOptions::default()).unwrap();
    let mut sentence = reader.sentence();
    for _ in 0..sentences {
        if !reader.read(&mut sentence).unwrap() {
            break;
        }
        instances.read(&sentence, &mut keep).unwrap();
    }
    instances.finish(&mut keep).unwrap();
    found
}

/// Properties of instances that do not depend on numbering: their number, and for each of the first ones its class as the first instance
/// with it, the number of active features, and how many of them it shares with the previous eight and with the first eight instances.
fn described(lines: &[String]) -> Vec<String> {
    let mut classes = Vec::new();
    let mut sets: Vec<BTreeSet<u32>> = Vec::new();
    for line in lines {
        let mut items = line.split(' ');
        classes.push(items.next().unwrap());
        sets.push(items.map(|item| item.strip_suffix(":1").unwrap().parse().unwrap()).collect());
    }
    let all: BTreeSet<u32> = sets.iter().flatten().copied().collect();
    let distinct: BTreeSet<&str> = classes.iter().copied().collect();
    let mut out =
        vec![format!("# instances {} classes {} dimensions {}", sets.len(), distinct.len(), all.len())];
    let shared = |a: usize, b: usize| sets[a].intersection(&sets[b]).count().to_string();
    for i in 0..sets.len().min(DESCRIBED) {
        let first = classes.iter().position(|class| *class == classes[i]).unwrap();
        let before = (1..=8).map(|k| if i >= k { shared(i, i - k) } else { "-".to_owned() });
        let head = (0..8).map(|k| if k < sets.len() { shared(i, k) } else { "-".to_owned() });
        let columns = [before.collect::<Vec<_>>().join(" "), head.collect::<Vec<_>>().join(" ")];
        out.push(format!("{first}\t{}\t{}", sets[i].len(), columns.join("\t")));
    }
    out
}

#[test]
fn every_vector_agrees() {
    let Some(treebanks) = treebanks() else { return };
    let commands = fs::read_to_string(vectors().join("commands.txt")).unwrap();
    let lines: Vec<&str> = commands.lines().collect();
    let (mut n_agree, mut wrong) = (0, Vec::new());
    for pair in lines.chunks_exact(2) {
        let (files, command) = (pair[0], pair[1]);
        let (_, flags) = command.split_once("-li true ").unwrap();
        let flags = flags.replace('\'', "");
        let treebank = if files.contains("galician-treegal") {
            treebanks.join("galician-treegal/train.conllu")
        } else {
            treebanks.join("danish-ddt/train.conll")
        };
        let found = instances(&flags, &treebank, SENTENCES);
        assert_eq!(found.len(), files.split(' ').count(), "{flags}: {:?}", found.keys());
        for file in files.split(' ') {
            // open.TREEBANK.SETTING[.CLASSIFIER].txt
            let classifier = file.trim_end_matches(".txt").split('.').nth(3).unwrap_or("");
            let expected = fs::read_to_string(vectors().join(file)).unwrap();
            let expected: Vec<&str> = expected.lines().filter(|line| !line.starts_with("# pooled")).collect();
            let got = found.get(classifier).map_or_else(Vec::new, |lines| described(lines));
            match (0..expected.len().max(got.len()))
                .find(|&at| expected.get(at).copied() != got.get(at).map(String::as_str))
            {
                None => n_agree += 1,
                Some(at) => wrong.push(format!(
                    "{file}, line {}\n  wanted {:?}\n  got    {:?}",
                    at + 1,
                    expected.get(at),
                    got.get(at)
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{} files differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(n_agree, 57);
}

fn sample() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/sample/dev.conllu")
}

/// The number of decisions of an algorithm's oracle that are not forced.
fn n_decisions(flags: &str) -> usize {
    struct Chosen(usize);
    impl Watcher for Chosen {
        fn chosen(&mut self, _c: &Configuration, _permissible: KindSet, _transition: Transition) {
            self.0 += 1;
        }
    }
    let system = MaltSystemOptions::parse(flags).unwrap().build(Label::NONE);
    let mut reader = Reader::open(sample(), &ReadOptions::default()).unwrap();
    let (mut sentence, mut chosen) = (reader.sentence(), Chosen(0));
    let mut labels = Symbols::new();
    let (mut gold, mut c) = (Gold::new(), Configuration::new());
    while reader.read(&mut sentence).unwrap() {
        derives(&*system, &sentence.tree(&mut labels), &mut gold, &mut c, &mut chosen);
    }
    chosen.0
}

#[test]
fn every_decision_that_is_not_forced_is_an_instance() {
    for flags in ["-a nivreeager", "-a nivreeager -nr false", "-a covnonproj", "-a stacklazy", "-a 2planar"] {
        let found = instances(flags, &sample(), usize::MAX);
        assert_eq!(found[""].len(), n_decisions(flags), "{flags}");
        let classes: BTreeSet<&str> = found[""].iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert!(classes.len() > 10, "{flags}");
    }
}

#[test]
fn several_classifiers_share_what_one_has() {
    let features = |line: &String| line.split_once(' ').map(|(_, features)| features.to_owned());
    let joint = instances("-a nivreeager", &sample(), usize::MAX);
    let sequence = instances("-a nivreeager -gds T.TRANS,A.DEPREL", &sample(), usize::MAX);
    let branch = instances("-a nivreeager -gds T.TRANS#A.DEPREL", &sample(), usize::MAX);
    let names = |found: &BTreeMap<String, Vec<String>>| found.keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!([names(&sequence), names(&branch)], ["label trans", "label-LA label-RA trans"]);
    let vectors: Vec<_> = joint[""].iter().map(features).collect();
    for found in [&sequence, &branch] {
        assert_eq!(found["trans"].iter().map(features).collect::<Vec<_>>(), vectors);
    }
    assert_eq!(sequence["label"].len(), branch["label-LA"].len() + branch["label-RA"].len());
}

#[test]
fn parts_are_of_values_and_small_ones_are_pooled() {
    let joint = instances("-a nivreeager", &sample(), usize::MAX);
    for (threshold, has_master) in [(0, false), (30, true), (1_000_000, true)] {
        let flags = format!("-a nivreeager -d UPOSTAG -s Input[0] -T {threshold}");
        let split = instances(&flags, &sample(), usize::MAX);
        assert_eq!(split.values().map(Vec::len).sum::<usize>(), joint[""].len());
        assert_eq!(split.contains_key("MASTER"), has_master);
        for (name, lines) in split {
            assert!(name == "MASTER" || lines.len() > threshold, "{name}");
            // The split feature is kept where values are pooled.
            let n_features = described(&lines)[1].split('\t').nth(1).unwrap().parse::<usize>().unwrap();
            assert!(n_features <= if name == "MASTER" { 22 } else { 21 }, "{name}: {n_features}");
        }
    }
}

#[test]
fn the_shipped_features_are_those_of_the_files() {
    // Only the handling of null values changes.
    let n = |flags: &str| described(&instances(flags, &sample(), usize::MAX)[""])[0].clone();
    let dimensions = |text: String| text.rsplit(' ').next().unwrap().parse::<usize>().unwrap();
    let counts =
        ["one", "rootnode", "novalue", "none"].map(|nv| dimensions(n(&format!("-a nivreeager -nv {nv}"))));
    assert!(counts[0] < counts[1] && counts[1] < counts[2] && counts[3] < counts[0], "{counts:?}");
    assert!(dimensions(n("-a nivreeager -l libsvm")) < counts[0]);
}

/// The instances of a treebank with the names of values.
fn spelt(flags: &str, features: &str, treebank: &Path) -> Vec<String> {
    let run = MaltRun::parse(flags).unwrap();
    let features = NamedModel::by_name(features).unwrap().model();
    let mut instances = MaltInstances::new(&run, &features, Format::Timbl).unwrap();
    let mut found = Vec::new();
    let mut keep = |_: &str, line: &str| {
        found.push(line.to_owned());
        Ok(())
    };
    let mut reader = Reader::open(treebank, &ReadOptions::default()).unwrap();
    let mut sentence = reader.sentence();
    while reader.read(&mut sentence).unwrap() {
        instances.read(&sentence, &mut keep).unwrap();
    }
    found
}

#[test]
fn trees_are_projectivized_first_if_flags_say_so() {
    let path = std::env::temp_dir().join(format!("quaich-projected-{}.conllu", std::process::id()));
    let plain = spelt("-a nivreeager", "phi1", &sample());
    assert_eq!(spelt("-a nivreeager -pp none -pcr none", "phi1", &sample()), plain);
    for flags in ["-pp baseline", "-pp head -plo deepest", "-pp head+path -pcr head", "-pp path"] {
        let transform = PseudoProjective::from_malt_flags(flags).unwrap();
        let mut rewriter = Rewriter::new(&transform, Operation::Apply);
        let mut projected = Vec::new();
        let mut reader = Reader::open(sample(), &ReadOptions::default()).unwrap();
        let mut sentence = reader.sentence();
        while reader.read(&mut sentence).unwrap() {
            rewriter.write(&sentence, &mut projected);
            projected.push(b'\n');
        }
        fs::write(&path, projected).unwrap();
        let flags = format!("-a nivreeager {flags}");
        let found = spelt(&flags, "phi1", &sample());
        assert_eq!(found, spelt("-a nivreeager", "phi1", &path), "{flags}");
        assert_ne!(found, plain, "{flags}: the sample has non-projective trees");
        // Classes have marks; features see the labels of the treebank.
        for line in spelt(&flags, "malt:nivreeager", &sample()) {
            let (values, _) = line.rsplit_once('\t').unwrap();
            assert!(!values.contains("%7C"), "{flags}: {line}");
        }
    }
    fs::remove_file(&path).unwrap();
}

/// The sample with other labels, as a file that exists while `visit` runs.
fn with_labels<T>(label: impl Fn(&str) -> String, visit: impl FnOnce(&Path) -> T) -> T {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let mut text = String::new();
    for line in fs::read_to_string(sample()).unwrap().lines() {
        let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if cells.len() == 10 && cells[6] != "_" {
            cells[7] = label(&cells[7]);
        }
        text += &(cells.join("\t") + "\n");
    }
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("quaich-labels-{}-{number}.conllu", std::process::id()));
    fs::write(&path, text).unwrap();
    let result = visit(&path);
    fs::remove_file(&path).unwrap();
    result
}

#[test]
fn an_underscore_is_a_label_like_any_other() {
    type Rename = fn(&str, &str) -> String;
    let one: Rename = |label, to| if label == "nsubj" { to.to_owned() } else { label.to_owned() };
    let all: Rename = |_, to| to.to_owned();
    for rename in [one, all] {
        for flags in [
            "-a nivreeager",
            "-a nivrestandard -nv novalue",
            "-a covnonproj -gds T.TRANS,A.DEPREL",
            "-a stacklazy -gds T.TRANS#A.DEPREL",
            "-a 2planar -d UPOSTAG -s Input[0] -T 20",
            "-a stackproj -pp head",
            "-a nivreeager -pp head+path -pcr head",
        ] {
            let of = |name: &str| {
                with_labels(|label| rename(label, name), |path| instances(flags, path, usize::MAX))
            };
            let (found, expected) = (of("_"), of("XX"));
            assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{flags}");
            for (name, lines) in found {
                assert_eq!(described(&lines)[0], described(&expected[&name])[0], "{flags}: {name}");
                assert!(lines == expected[&name], "{flags}: {name}");
            }
            let names = |name: &str| {
                with_labels(|label| rename(label, name), |path| spelt(flags, "malt:nivreeager", path))
            };
            let renamed = |line: &String| {
                let (values, class) = line.rsplit_once('\t').unwrap();
                format!("{}\t{}", values.replace("XX", "%5F"), class.replace("XX", "_"))
            };
            assert!(names("_") == names("XX").iter().map(renamed).collect::<Vec<_>>(), "{flags}");
        }
    }
}
