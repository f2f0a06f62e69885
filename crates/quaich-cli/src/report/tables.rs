//! Scores, tests and breakdowns as tables, with percentages as bars.

use std::fmt::Write as _;

use quaich::eval::breakdowns::{Table, Value};
use quaich::eval::measures::MEASURES;
use quaich::eval::significance::{COMPARED, Interval, TESTS};
use quaich::eval::tree_measures::TREE_MEASURES;

use super::{Report, escape};
use crate::table_style::probability;

/// The breakdown whose rows are labels, which filter the sentences.
const LABEL_BREAKDOWN: &str = "label";
/// Differences with a lower p-value are marked as significant.
const SIGNIFICANT: f64 = 0.05;

/// All measures, one column per system.
pub(super) fn write_scores(report: &Report<'_>, body: &mut String) {
    let systems = report.systems.iter().map(|system| escape(system));
    let mut rows = Vec::new();
    for measure in MEASURES {
        let of = |(system, evaluation): (usize, &quaich::eval::Evaluation)| {
            let place = COMPARED.iter().position(|compared| compared.key == measure.key);
            let interval = place.zip(report.significance).map(|(place, all)| all.intervals[system][place]);
            let share = (measure.share)(&evaluation.score);
            percent(
                share.percent().known(),
                &interval.map_or_else(
                    || format!("{} of {}", share.part, share.whole),
                    |Interval(low, high)| format!("95 %: {low:.2} to {high:.2}"),
                ),
            )
        };
        rows.push((measure.name.to_owned(), report.evaluations.iter().enumerate().map(of).collect()));
    }
    for measure in TREE_MEASURES {
        let of = |evaluation| percent((measure.read)(evaluation).0.known(), "");
        rows.push((measure.name.to_owned(), report.evaluations.iter().map(|one| of(&one.trees)).collect()));
    }
    let _ = writeln!(body, "<section id=\"scores\">\n<h2>Scores</h2>");
    write_table([String::new()].into_iter().chain(systems), rows, body);
    let _ = writeln!(body, "</section>");
}

/// The tests of every pair of systems.
pub(super) fn write_tests(report: &Report<'_>, body: &mut String) {
    let Some(significance) = report.significance else { return };
    let header = ["", "systems", "difference", "95 %"].map(str::to_owned);
    let rows = significance.comparisons.iter().map(|pair| {
        let systems =
            format!("{} − {}", escape(&report.systems[pair.second]), escape(&report.systems[pair.first]));
        let Interval(low, high) = pair.interval;
        let mut cells = vec![
            format!("<td>{systems}</td>"),
            format!("<td>{:+.2}</td>", pair.difference),
            format!("<td>{low:+.2} to {high:+.2}</td>"),
        ];
        cells.extend(pair.corrected.iter().map(|&p| {
            let class = if p.is_some_and(|p| p < SIGNIFICANT) { " class=\"significant\"" } else { "" };
            format!("<td{class}>{}</td>", escape(&probability(p)))
        }));
        (COMPARED[pair.measure].name.to_owned(), cells)
    });
    let rows: Vec<_> = rows.collect();
    let _ = writeln!(
        body,
        "<section id=\"tests\">\n<h2>Significance</h2>\n<p>p-values, corrected for the number of pairs (Holm).</p>"
    );
    write_table(header.into_iter().chain(TESTS.iter().map(|test| escape(test.name))), rows, body);
    let _ = writeln!(body, "</section>");
}

/// One collapsible section per breakdown.
pub(super) fn write_breakdowns(report: &Report<'_>, body: &mut String) {
    let Some(first) = report.evaluations.first() else { return };
    let _ = writeln!(body, "<section id=\"breakdowns\">\n<h2>Breakdowns</h2>");
    for (place, (breakdown, _)) in first.breakdowns.iter().enumerate() {
        let name = breakdown.name();
        let tables: Vec<&Table> = report.evaluations.iter().map(|one| &one.breakdowns[place].1).collect();
        let _ = writeln!(
            body,
            "<details id=\"by-{name}\"><summary><b>{name}</b> {}</summary>",
            escape(breakdown.about())
        );
        match tables[..] {
            [table] => {
                let header = table.columns.iter().map(|column| escape(column.name));
                let rows = table.rows.iter().take(breakdown.shown_rows());
                let rows = rows.map(|row| (named(name, &row.name), row.values.iter().map(cell).collect()));
                write_table([String::new()].into_iter().chain(header), rows, body);
            }
            _ => write_side_by_side(report, (name, breakdown.shown_rows()), &tables, body),
        }
        let _ = writeln!(body, "</details>");
    }
    let _ = writeln!(body, "</section>");
}

/// The main column of every system, for all groups of any system.
fn write_side_by_side(
    report: &Report<'_>,
    (name, shown_rows): (&str, usize),
    tables: &[&Table],
    body: &mut String,
) {
    let mut groups: Vec<&str> = Vec::new();
    for table in tables {
        for row in table.rows.iter().take(shown_rows) {
            if !groups.contains(&&row.name[..]) {
                groups.push(&row.name);
            }
        }
    }
    let main = |table: &&Table| table.columns.get(table.main_column()).map(|column| column.name);
    let column = tables.iter().find_map(main).unwrap_or_default();
    let header = report.systems.iter().map(|system| format!("{} {}", escape(column), escape(system)));
    let rows = groups.into_iter().map(|group| {
        let of = |table: &&Table| {
            let row = table.rows.iter().find(|row| row.name == group);
            row.and_then(|row| row.values.get(table.main_column()))
                .map_or_else(|| "<td></td>".to_owned(), cell)
        };
        (named(name, group), tables.iter().map(of).collect::<Vec<_>>())
    });
    write_table([String::new()].into_iter().chain(header), rows, body);
}

/// The name of a group; labels link to the sentences in which they are wrong.
fn named(breakdown: &str, group: &str) -> String {
    if breakdown == LABEL_BREAKDOWN {
        format!("<a href=\"#\" data-label=\"{0}\">{0}</a>", escape(group))
    } else {
        escape(group)
    }
}

fn write_table(
    header: impl Iterator<Item = String>,
    rows: impl IntoIterator<Item = (String, Vec<String>)>,
    body: &mut String,
) {
    let _ = write!(body, "<div class=\"wide\"><table>\n<thead><tr>");
    for name in header {
        let _ = write!(body, "<th>{name}</th>");
    }
    let _ = writeln!(body, "</tr></thead>\n<tbody>");
    for (name, cells) in rows {
        let _ = writeln!(body, "<tr><th>{name}</th>{}</tr>", cells.concat());
    }
    let _ = writeln!(body, "</tbody>\n</table></div>");
}

fn cell(value: &Value) -> String {
    match value {
        Value::Percent(share) | Value::Part(share) => percent(share.known(), ""),
        _ => format!("<td>{}</td>", escape(&value.to_string())),
    }
}

/// A bar with its number and its tooltip.
fn percent(percent: Option<f64>, about: &str) -> String {
    percent.map_or_else(
        || "<td>–</td>".to_owned(),
        |percent| {
            format!(
                "<td class=\"bar\" style=\"--part:{percent:.2}%\" title=\"{}\">{percent:.2}</td>",
                escape(about)
            )
        },
    )
}
