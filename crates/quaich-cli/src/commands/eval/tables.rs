//! Evaluations as tables.

use quaich::eval::Evaluation;
use quaich::eval::agreement::Agreement;
use quaich::eval::breakdowns::{Breakdown, Table};
use quaich::eval::measures::MEASURES;
use quaich::eval::significance::{COMPARED, Interval, TESTS};
use quaich::eval::tree_measures::TREE_MEASURES;

use super::comparison::Comparison;
use crate::table_style::{Rows, TableStyle, probability};

/// The tables of one system.
pub(super) fn of_one(evaluation: &Evaluation, style: TableStyle) -> String {
    let mut tables = vec![sizes(evaluation), scores(evaluation)];
    tables.push(nonprojective(
        [("unlabelled", false), ("labelled", true)]
            .map(|(name, labelled)| (name.to_owned(), arcs(evaluation, labelled))),
    ));
    tables.extend(evaluation.breakdowns.iter().map(|(breakdown, table)| groups(*breakdown, None, table)));
    style.tables(&tables)
}

/// The tables of several systems, which are numbered.
pub(super) fn of_several(comparison: &Comparison<'_>, style: TableStyle) -> String {
    let Comparison { names, evaluations, .. } = comparison;
    let numbered = || (1..).zip(*evaluations);
    let systems =
        (1..).zip(*names).map(|(number, name): (usize, _)| vec![name.clone(), format!("system {number}")]);
    let mut tables = vec![systems.collect()];
    tables.extend(evaluations.first().map(sizes));
    tables.push(scores_of_several(comparison));
    let rows = numbered().flat_map(|(number, evaluation): (usize, _)| {
        let row = move |name: &str, labelled| (format!("{number} {name}"), arcs(evaluation, labelled));
        [row("unlabelled", false), row("labelled", true)]
    });
    tables.push(nonprojective(rows));
    let n_breakdowns = evaluations.first().map_or(0, |evaluation| evaluation.breakdowns.len());
    for place in 0..n_breakdowns {
        tables.extend(numbered().map(|(number, evaluation)| {
            let (breakdown, table) = &evaluation.breakdowns[place];
            groups(*breakdown, Some(number), table)
        }));
    }
    tables.push(tests(comparison, "p", |pair, test| pair.outcomes[test].p));
    if evaluations.len() > 2 {
        tables.push(tests(comparison, "p (Holm)", |pair, test| pair.corrected[test]));
    }
    style.tables(&tables)
}

fn sizes(evaluation: &Evaluation) -> Rows {
    let score = &evaluation.score;
    let row = |name: &str, count: u64| vec![name.to_owned(), count.to_string()];
    vec![
        row("sentences", score.sentences),
        row("tokens", score.tokens),
        row("scored tokens", score.scored.tokens),
    ]
}

fn scores(evaluation: &Evaluation) -> Rows {
    let header = ["", "%", "correct", "of"].map(str::to_owned).to_vec();
    let measures = MEASURES.iter().map(|measure| {
        let share = (measure.share)(&evaluation.score);
        let name = measure.name.to_owned();
        vec![name, share.percent().to_string(), share.part.to_string(), share.whole.to_string()]
    });
    let of_trees = TREE_MEASURES.iter().map(|measure| {
        let (percent, share) = (measure.read)(&evaluation.trees);
        let counts =
            share.map_or_else(Vec::new, |share| vec![share.part.to_string(), share.whole.to_string()]);
        [measure.name.to_owned(), percent.to_string()].into_iter().chain(counts).collect()
    });
    [header].into_iter().chain(measures).chain(of_trees).collect()
}

/// One column per system, followed by its confidence interval for measures that are tested.
fn scores_of_several(comparison: &Comparison<'_>) -> Rows {
    let Comparison { evaluations, significance, .. } = comparison;
    let numbers = (1..=evaluations.len()).flat_map(|number| [number.to_string(), "95 %".to_owned()]);
    let header = ["%".to_owned()].into_iter().chain(numbers).collect();
    let intervals = |key: &str, system: usize| {
        let place = COMPARED.iter().position(|measure| measure.key == key);
        place.map_or_else(String::new, |place| interval(significance.intervals[system][place]))
    };
    let measures = MEASURES.iter().map(|measure| {
        let cells = evaluations.iter().enumerate().flat_map(|(system, evaluation)| {
            let percent = (measure.share)(&evaluation.score).percent();
            [percent.to_string(), intervals(measure.key, system)]
        });
        [measure.name.to_owned()].into_iter().chain(cells).collect()
    });
    let of_trees = TREE_MEASURES.iter().map(|measure| {
        let cells = evaluations
            .iter()
            .flat_map(|evaluation| [(measure.read)(&evaluation.trees).0.to_string(), String::new()]);
        [measure.name.to_owned()].into_iter().chain(cells).collect()
    });
    [header].into_iter().chain(measures).chain(of_trees).collect()
}

fn interval(Interval(low, high): Interval) -> String {
    format!("{low:.2} to {high:.2}")
}

fn arcs(evaluation: &Evaluation, labelled: bool) -> Agreement {
    let arcs = &evaluation.nonprojective;
    if labelled { arcs.labelled } else { arcs.unlabelled }
}

fn nonprojective(rows: impl IntoIterator<Item = (String, Agreement)>) -> Rows {
    let header = ["non-projective arcs", "precision", "recall", "F", "gold", "found", "system", "correct"];
    let row = |(name, arcs): (String, Agreement)| {
        let percentages = [arcs.precision(), arcs.recall(), arcs.f1()].map(|percent| percent.to_string());
        let counts =
            [arcs.gold, arcs.gold_found, arcs.system, arcs.system_right].map(|count| count.to_string());
        [name].into_iter().chain(percentages).chain(counts).collect()
    };
    [header.map(str::to_owned).to_vec()].into_iter().chain(rows.into_iter().map(row)).collect()
}

/// A breakdown, with the number of its system if there are several; the number of rows is limited.
fn groups(breakdown: &dyn Breakdown, number: Option<usize>, table: &Table) -> Rows {
    let name = breakdown.name();
    let name = number.map_or_else(|| name.to_owned(), |number| format!("{name} ({number})"));
    let header = [name].into_iter().chain(table.columns.iter().map(|column| column.name.to_owned()));
    let rows = table.rows.iter().take(breakdown.shown_rows()).map(|row| {
        [row.name.clone()].into_iter().chain(row.values.iter().map(ToString::to_string)).collect()
    });
    let mut rows: Rows = [header.collect()].into_iter().chain(rows).collect();
    let n_hidden = table.rows.len().saturating_sub(breakdown.shown_rows());
    if n_hidden > 0 {
        rows.push(vec![format!("… and {n_hidden} more")]);
    }
    rows
}

/// The tests between all pairs: one row per pair and measure, one column per test.
fn tests(
    comparison: &Comparison<'_>,
    title: &str,
    p: fn(&quaich::eval::significance::Comparison, usize) -> Option<f64>,
) -> Rows {
    let names = TESTS.iter().map(|test| test.name.to_owned());
    let header = [title, "systems", "difference", "95 %"].map(str::to_owned).into_iter().chain(names);
    let rows = comparison.significance.comparisons.iter().map(|pair| {
        let cells = [
            COMPARED[pair.measure].name.to_owned(),
            format!("{}, {}", pair.first + 1, pair.second + 1),
            format!("{:+.2}", pair.difference),
            interval(pair.interval),
        ];
        cells.into_iter().chain((0..TESTS.len()).map(|test| probability(p(pair, test)))).collect()
    });
    [header.collect()].into_iter().chain(rows).collect()
}
