//! Agreement with `MaltParser` 1.9.2: the instances that it gives to LIBLINEAR, compared without regard to numbering.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use quaich_features::Notation;
use quaich_parser::instances::{Format, MaltInstances, MaltRun};
use quaich_testkit::treebanks;
use quaich_treebank::{ReadOptions, Reader};

/// How many sentences `MaltParser` was given, and how many of its instances are described.
const SENTENCES: usize = 60;
const DESCRIBED: usize = 800;

fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/malt-vectors/instances")
}

/// The lines of every classifier, by its name.
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

/// What can be said of instances without their numbers: how many there are, and for each of the first its class as the first
/// instance that has it, how many features are on, and how many of them it shares with the eight before it and with the
/// first eight.
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
