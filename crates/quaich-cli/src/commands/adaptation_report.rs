//! The report of an adaptation as text.

use quaich::adaptation::{Change, Counts, Curve, MethodReport, Report, Verdict};
use quaich::treebank::counted;

use crate::output::table;

/// The report: the data, a table of methods, what was added, and curves.
pub(crate) fn shown(report: &Report) -> String {
    let tags = if report.target_has_tags { "with tags" } else { "without tags" };
    let mut text = format!(
        "source    {}\nheld out  {}\ntarget    {}, {tags}\n\n",
        counts(&report.source),
        counts(&report.held_out),
        counts(&report.target)
    );
    text += &methods(report);
    for method in report.methods.iter().filter(|method| method.shift.is_some()) {
        text += &added(method);
    }
    let mut curves: Vec<&Curve> = Vec::new();
    for curve in report.methods.iter().filter_map(|method| method.curve.as_ref()) {
        // Methods that choose by the same confidence have the same curve.
        if !curves.iter().any(|known| known.confidence == curve.confidence) {
            curves.push(curve);
        }
    }
    for curve in curves {
        text += "\n";
        text += &points(curve);
    }
    text + "\n" + &result(report)
}

fn counts(counts: &Counts) -> String {
    format!("{}, {}", counted(counts.sentences, "sentence"), counted(counts.tokens, "word"))
}

fn methods(report: &Report) -> String {
    let has_gold = report.methods.iter().any(|method| method.gold.is_some());
    let mut heading = vec!["method", "sentences", "words", "arcs", "held-out LAS", "gain", "p"];
    if has_gold {
        heading.extend(["target LAS", "gain", "p", "UAS gain", "p"]);
    }
    let mut rows = vec![heading.into_iter().map(str::to_owned).collect()];
    for method in &report.methods {
        let Counts { sentences, tokens, arcs } = method.added;
        let mut row = vec![method.method.to_owned()];
        row.extend([sentences, tokens, arcs].map(|n| n.to_string()));
        if let Some(held_out) = &method.held_out {
            row.extend([format!("{:.2}", held_out.las.after), gain(&held_out.las), p(&held_out.las)]);
        }
        if let Some(gold) = &method.gold {
            row.extend([format!("{:.2}", gold.las.after), gain(&gold.las), p(&gold.las)]);
            row.extend([gain(&gold.uas), p(&gold.uas)]);
        }
        rows.push(row);
    }
    let before = report.methods.iter().find_map(|method| Some((method.held_out?, method.gold)));
    if let Some((held_out, gold)) = before {
        let score = |change: &Change| format!("{:.2}", change.before);
        let mut row: Vec<String> = ["source model", "", "", ""].map(str::to_owned).into();
        row.extend([score(&held_out.las), String::new(), String::new()]);
        row.extend(gold.map(|gold| score(&gold.las)));
        rows.insert(1, row);
    }
    table(&rows)
}

fn gain(change: &Change) -> String {
    format!("{:+.2}", change.gain())
}

fn p(change: &Change) -> String {
    format!("{:.3}", change.p)
}

/// How what a method added differs from the source.
fn added(method: &MethodReport) -> String {
    let Some(shift) = &method.shift else { return String::new() };
    let [source, target, added] = shift.mean_length.map(|mean| format!("{mean:.1}"));
    let label = |label: &quaich::adaptation::LabelShare| {
        format!("{} {:.1} → {:.1} %", label.label, label.source, label.added)
    };
    let labels: Vec<String> = shift.labels.iter().map(label).collect();
    format!(
        "\n{}: mean length {added} words (source {source}, target {target}); {:.1} % of labels moved: {}\n",
        method.method,
        shift.labels_moved,
        labels.join(", ")
    )
}

fn points(curve: &Curve) -> String {
    let has_gold = curve.points.iter().any(|point| point.gold_las.is_some());
    let mut heading = vec![format!("{} at least", curve.confidence)];
    heading.extend(["target words, %", "held-out LAS"].map(str::to_owned));
    heading.extend(has_gold.then(|| "target LAS".to_owned()));
    let mut rows = vec![heading];
    for point in &curve.points {
        let las = |las: Option<f64>| las.map_or_else(|| "-".to_owned(), |las| format!("{las:.2}"));
        let mut row = vec![format!("{:.2}", point.min_confidence), format!("{:.1}", point.target_percent)];
        row.push(las(point.held_out_las));
        row.extend(has_gold.then(|| las(point.gold_las)));
        rows.push(row);
    }
    table(&rows)
}

fn result(report: &Report) -> String {
    let mut text = String::new();
    for method in &report.methods {
        let is_chosen = report.chosen == Some(method.method);
        let line = match &method.verdict {
            Verdict::Accepted => {
                let used = if is_chosen { "accepted and used" } else { "accepted" };
                format!("{used}{}", on_held_out(method, report.tolerance))
            }
            Verdict::Harmed => format!(
                "rejected: LAS on held-out source sentences falls significantly, by more than {} points",
                report.tolerance
            ),
            Verdict::Nothing(reason) => format!("nothing added: {reason}"),
        };
        text += &[method.method, ": ", &line, "\n"].concat();
        if let Some(gold) = method.gold.filter(|gold| is_chosen && gold.las.gain() < 0.0) {
            text += &fall_on_target(&gold.las);
        }
    }
    if report.chosen.is_none() {
        text += "result: the source model\n";
    }
    text
}

/// A warning that the chosen model is worse on the gold trees of the target.
fn fall_on_target(las: &Change) -> String {
    format!(
        "warning: LAS on the gold trees of the target falls by {:.2} points (p = {}): the source model may be the better choice\n",
        -las.gain(),
        p(las)
    )
}

/// Why a loss on held-out sentences does not speak against a method, if there is one.
fn on_held_out(method: &MethodReport, tolerance: f64) -> String {
    let Some(las) = method.held_out.map(|held_out| held_out.las).filter(|las| las.gain() < 0.0) else {
        return String::new();
    };
    let loss = -las.gain();
    if loss <= tolerance {
        format!(
            ": LAS on held-out source sentences falls by {loss:.2} points, within the tolerance of {tolerance}"
        )
    } else {
        format!(
            ": LAS on held-out source sentences falls by {loss:.2} points, which may be chance (p = {})",
            p(&las)
        )
    }
}
