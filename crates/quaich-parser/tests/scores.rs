//! `--scores`: probabilities in MISC, where they are allowed and what they replace.

use quaich_parser::{Model, ParseOptions, Settings, Unobserved, parse_stream, train};
use quaich_treebank::{ReadOptions, Reader, Sentence, Source};

const TRAIN: &str = include_str!("../../../data/sample/train.conllu");

fn reader(text: &str) -> Reader {
    let source = Source::from_stream(std::io::Cursor::new(text.to_owned()), "test".to_owned(), None).unwrap();
    Reader::new(source, &ReadOptions::default()).unwrap()
}

fn parser(assignments: &[&str]) -> Model {
    let settings = assignments.iter().fold(Settings::default(), |settings, one| settings.with(one).unwrap());
    let sentences: Vec<Sentence> = reader(TRAIN).sentences().collect::<Result<_, _>>().unwrap();
    train(&sentences, &settings, &Unobserved).unwrap()
}

fn parse(parser: &Model, text: &str) -> Result<String, quaich_parser::Error> {
    let mut out = Vec::new();
    parse_stream(
        parser,
        &mut reader(text),
        &mut out,
        ParseOptions { scores: true, ..ParseOptions::default() },
        |_| {},
    )?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn an_old_score_gives_way() {
    let parser = parser(&["learner=linear", "linear.epochs=2"]);
    let row = |id: u32, misc: &str| format!("{id}\tfog\tfog\tNOUN\t_\t_\t_\t_\t_\t{misc}\n");
    let text = row(1, "Score=0.1|SpaceAfter=No|Score=0.2") + &row(2, "_") + &row(3, "Score=0.3") + "\n";
    let once = parse(&parser, &text).unwrap();
    let misc: Vec<&str> =
        once.lines().filter_map(|line| line.rsplit('\t').next()).filter(|misc| !misc.is_empty()).collect();
    assert!(misc[0].starts_with("SpaceAfter=No|Score=0."), "{once}");
    assert!(
        misc[1..].iter().all(|misc| misc.starts_with("Score=0.") && misc.matches("Score").count() == 1),
        "{once}"
    );
    assert_eq!(parse(&parser, &once).unwrap(), once);
}

#[test]
fn formats_without_a_place_are_refused() {
    let parser = parser(&["learner=linear", "linear.epochs=1", "linear.folds=0"]);
    let error = parse(&parser, "fog\tNN\t0\troot\n\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "test: malttab has no column for scores; convert it to conllu first, or parse without scores"
    );
}

/// Where there is no choice, the probability is 1.
#[test]
fn what_leaves_no_choice_is_certain() {
    let relabelled: String = TRAIN
        .lines()
        .map(|line| {
            let mut cells: Vec<&str> = line.split('\t').collect();
            if let Some(label) = cells.get_mut(7) {
                *label = "dep";
            }
            cells.join("\t") + "\n"
        })
        .collect();
    let settings = [
        "learner=linear",
        "linear.epochs=1",
        "linear.folds=0",
        "system=arc-standard",
        "root=end",
        "single-root=true",
        "transform=none",
    ];
    let settings = settings.iter().fold(Settings::default(), |settings, one| settings.with(one).unwrap());
    let sentences: Vec<Sentence> =
        reader(&(relabelled + "\n")).sentences().collect::<Result<_, _>>().unwrap();
    let parser = train(&sentences, &settings, &Unobserved).unwrap();
    let out = parse(&parser, "# text = fog\n1\tfog\tfog\tNOUN\t_\t_\t_\t_\t_\t_\n\n").unwrap();
    assert!(out.contains("\t0\tdep\t_\tScore=1.0000"), "{out}");
}
