//! Results as printed by the scorers.

use std::fmt::{Display, Formatter, Result};

use super::report::{Agreed, Report, both_wrong, right, wrong};
use super::semantics::{Dependencies, Semantics};
use crate::attachment::Attachment;
use crate::describe::ratio;

/// `part / whole * 100 = percent %`.
struct Of(u64, u64, f64);

impl Display for Of {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} / {} * 100 = {:.2} %", self.0, self.1, self.2)
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Attachment { tokens, heads, labels, both } = self.scored;
        if self.semantics.is_some() {
            writeln!(f, "  SYNTACTIC SCORES:")?;
        }
        writeln!(f, "  Labeled   attachment score: {}", Of(both, tokens, self.las()))?;
        writeln!(f, "  Unlabeled attachment score: {}", Of(heads, tokens, self.uas()))?;
        writeln!(f, "  Label accuracy score:       {}", Of(labels, tokens, self.la()))?;
        if let Some(semantics) = &self.semantics {
            self.write_overall(semantics, f)?;
        }
        let (system, gold) = &self.files;
        let (part, line) = (if self.semantics.is_some() { "syntactic " } else { "" }, "=".repeat(80));
        writeln!(
            f,
            "\n  {line}\n\n  Evaluation of the {part}results in {system}\n  vs. gold standard {gold}:\n"
        )?;
        if self.errors.is_some() {
            writeln!(f, "  Legend: '.S' - the beginning of a sentence, '.E' - the end of a sentence\n")?;
        }
        writeln!(f, "  Number of non-scoring tokens: {}\n", self.non_scoring)?;
        self.write_tags(f)?;
        let labels = || self.labels.iter().map(|(label, counts)| (label.as_str(), counts));
        self.write_agreed(
            "DEPREL",
            "deprel",
            labels().map(|(label, counts)| (label, counts.label_only())),
            f,
        )?;
        let attached = labels().map(|(label, counts)| (label, counts.with_head()));
        self.write_agreed("DEPREL + ATTACHMENT", "deprel", attached, f)?;
        self.write_agreed("binned HEAD direction", "direction", self.directions.iter().copied(), f)?;
        self.write_agreed("binned HEAD distance", "distance", self.distances.iter().copied(), f)?;
        writeln!(f, "\n\n  Frame confusions (gold versus system; *...* marks the head token)\n")?;
        for (frame, count) in &self.frames {
            writeln!(f, "  {count:3}  {frame}")?;
        }
        if let Some(errors) = &self.errors {
            errors.fmt(f)?;
        }
        if let Some(semantics) = &self.semantics {
            writeln!(
                f,
                "\n  {line}\n\n  Evaluation of the semantic results in {system}\n  vs. gold standard {gold}:\n"
            )?;
            write_semantics(semantics, f)?;
        }
        Ok(())
    }
}

const TAG_LINE: &str = "  -----------+-------+-------+------+-------+------+-------+-------";

impl Report {
    fn write_tags(&self, f: &mut Formatter<'_>) -> Result {
        let title = self.tags_title;
        writeln!(f, "  The overall accuracy and its distribution over {title}\n\n{TAG_LINE}")?;
        writeln!(f, "  Accuracy   | words | right |   %  | right |   %  | both  |   %")?;
        writeln!(f, "             |       | head  |      |  dep  |      | right |\n{TAG_LINE}")?;
        self.write_tag_rows(f, |Attachment { tokens, heads, labels, both }| {
            [heads, labels, both].map(|count| (count, right(count, tokens)))
        })?;
        writeln!(f, "\n\n  The overall error rate and its distribution over {title}\n\n{TAG_LINE}")?;
        writeln!(f, "  Error      | words | head  |   %  |  dep  |   %  | both  |   %")?;
        writeln!(f, "  Rate       |       | err   |      |  err  |      | wrong |\n{TAG_LINE}")?;
        self.write_tag_rows(f, |counts| {
            let Attachment { tokens, heads, labels, .. } = counts;
            [tokens - heads, tokens - labels, both_wrong(counts)].map(|count| (count, wrong(count, tokens)))
        })
    }

    fn write_tag_rows(&self, f: &mut Formatter<'_>, values: fn(Attachment) -> [(u64, f64); 3]) -> Result {
        self.write_tag_row("total", self.scored, f, values)?;
        writeln!(f, "{TAG_LINE}")?;
        for (tag, counts) in &self.tags {
            self.write_tag_row(tag, *counts, f, values)?;
        }
        writeln!(f, "{TAG_LINE}")
    }

    fn write_tag_row(
        &self,
        tag: &str,
        counts: Attachment,
        f: &mut Formatter<'_>,
        values: fn(Attachment) -> [(u64, f64); 3],
    ) -> Result {
        write!(f, "  {} | {:5}", self.padded(tag, 10), counts.tokens)?;
        for (count, percent) in values(counts) {
            write!(f, " | {count:5} | {percent:3.0}%")?;
        }
        writeln!(f)
    }

    fn write_agreed<'a>(
        &self,
        title: &str,
        column: &str,
        rows: impl Iterator<Item = (&'a str, Agreed)>,
        f: &mut Formatter<'_>,
    ) -> Result {
        const LINE: &str = "  ----------------+------+---------+--------+------------+---------------";
        writeln!(f, "\n\n  Precision and recall of {title}\n\n{LINE}")?;
        writeln!(f, "  {column:15} | gold | correct | system | recall (%) | precision (%) \n{LINE}")?;
        for (name, agreed) in rows {
            let Agreed { gold, correct, system } = agreed;
            let (recall, precision) = (percent(agreed.recall()), percent(agreed.precision()));
            let name = self.padded(name, 15);
            writeln!(f, "  {name} | {gold:4} | {correct:7} | {system:6} | {recall:>10} | {precision:>13}")?;
        }
        Ok(())
    }

    /// Pads with spaces: the scorers of 2006 and 2007 count bytes, that of 2009 characters.
    fn padded(&self, name: &str, width: usize) -> String {
        let length = if self.semantics.is_some() { name.chars().count() } else { name.len() };
        format!("{name}{}", " ".repeat(width.saturating_sub(length)))
    }

    /// Writes the scores of 2009 that include predicates and their arguments.
    fn write_overall(&self, semantics: &Semantics, f: &mut Formatter<'_>) -> Result {
        let Semantics { predicates, arguments, .. } = semantics;
        let exact = |part| Of(part, self.sentences, ratio(100 * part, self.sentences));
        writeln!(f, "  Exact syntactic match:      {}", exact(self.exact_sentences))?;
        writeln!(f, "\n  SEMANTIC SCORES: ")?;
        let labelled = Combined::new(arguments.labelled(), predicates.labelled());
        let unlabelled = Combined::new(arguments.unlabelled(), predicates.unlabelled());
        for (name, combined) in [("Labeled", &labelled), ("Unlabeled", &unlabelled)] {
            let Combined([arguments, predicates]) = combined;
            let (right, [precision, recall]) =
                ((arguments.correct, predicates.correct), combined.percentages());
            for (measure, whole, percent) in [
                ("precision", (arguments.system, predicates.system), precision),
                ("recall", (arguments.gold, predicates.gold), recall),
            ] {
                let name = format!("{name} {measure}:");
                let (part, whole) =
                    (format!("({} + {})", right.0, right.1), format!("({} + {})", whole.0, whole.1));
                writeln!(f, "  {name:27} {part} / {whole} * 100 = {percent:.2} %")?;
            }
            writeln!(f, "  {:27} {:.2} ", format!("{name} F1:"), f1(precision, recall))?;
        }
        let (correct, system, gold) = (semantics.propositions, predicates.system, predicates.gold);
        let (precision, recall) = (ratio(100 * correct, system), ratio(100 * correct, gold));
        writeln!(f, "  Proposition precision:      {}", Of(correct, system, precision))?;
        writeln!(f, "  Proposition recall:         {}", Of(correct, gold, recall))?;
        writeln!(f, "  Proposition F1:             {:.2} ", f1(precision, recall))?;
        writeln!(f, "  Exact semantic match:       {}", exact(semantics.exact_sentences))?;
        writeln!(f, "\n  OVERALL MACRO SCORES (Wsem = 0.50):")?;
        for (name, combined, attachment) in
            [("Labeled", &labelled, self.las()), ("Unlabeled", &unlabelled, self.uas())]
        {
            let [precision, recall] = combined.percentages().map(|percent| 0.5 * percent + 0.5 * attachment);
            for (measure, value) in
                [("precision", precision), ("recall", recall), ("F1", f1(precision, recall))]
            {
                writeln!(f, "  {:27} {value:.2} %", format!("{name} macro {measure}:"))?;
            }
        }
        writeln!(f, "  Exact overall match:        {}", exact(semantics.exact_with_syntax))?;
        writeln!(f, "\n  OVERALL MICRO SCORES:")?;
        let Attachment { tokens, heads, both, .. } = self.scored;
        for (name, Combined([arguments, predicates]), right) in
            [("Labeled", &labelled, both), ("Unlabeled", &unlabelled, heads)]
        {
            let part = (right, arguments.correct, predicates.correct);
            let systems = (tokens, arguments.system, predicates.system);
            let golds = (tokens, arguments.gold, predicates.gold);
            let mut percentages = [0.0; 2];
            for ((measure, whole), percent) in
                [("precision", systems), ("recall", golds)].into_iter().zip(&mut percentages)
            {
                #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
                let (above, below) =
                    ((100 * (part.0 + part.1 + part.2)) as f64, (whole.0 + whole.1 + whole.2) as f64);
                *percent = above / below;
                let sum = |(one, two, three): (u64, u64, u64)| format!("({one} + {two} + {three})");
                let name = format!("{name} micro {measure}:");
                writeln!(f, "  {name:27} {} / {} * 100 = {percent:.2} %", sum(part), sum(whole))?;
            }
            writeln!(f, "  {:27} {:.2} ", format!("{name} micro F1:"), f1(percentages[0], percentages[1]))?;
        }
        Ok(())
    }
}

/// Arguments and predicates combined.
struct Combined([Agreed; 2]);

impl Combined {
    fn new(arguments: Agreed, predicates: Agreed) -> Self {
        Self([arguments, predicates])
    }

    /// Returns precision and recall.
    fn percentages(&self) -> [f64; 2] {
        let Self([arguments, predicates]) = self;
        let correct = 100 * (arguments.correct + predicates.correct);
        [arguments.system + predicates.system, arguments.gold + predicates.gold]
            .map(|whole| ratio(correct, whole))
    }
}

fn f1(precision: f64, recall: f64) -> f64 {
    if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
}

/// Formats with two decimals, or `NaN`.
fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "NaN".to_owned(), |value| format!("{value:.2}"))
}

fn write_semantics(semantics: &Semantics, f: &mut Formatter<'_>) -> Result {
    let Semantics { predicates_by_tag, arguments_by_tag, .. } = semantics;
    let predicates = || predicates_by_tag.iter().map(|(tag, counts)| (tag.as_str(), *counts));
    let write = |title: [&str; 2],
                 column: &str,
                 rows: &mut dyn Iterator<Item = (&str, Agreed)>,
                 f: &mut Formatter<'_>| {
        let width = column.chars().count().max(15);
        let line = format!(
            "  {}-+------+---------+--------+------------+---------------|--------|",
            "-".repeat(width)
        );
        writeln!(f, "  Precision and recall for {}\n  {}\n{line}", title[0], title[1])?;
        writeln!(
            f,
            "  {column:width$} | gold | correct | system | recall (%) | precision (%) |     F1 | \n{line}"
        )?;
        for (name, agreed) in rows {
            let Agreed { gold, correct, system } = agreed;
            let (recall, precision) = (percent(agreed.recall()), percent(agreed.precision()));
            // F is computed from the percentages as printed.
            let printed = |text: &str| text.parse::<f64>().ok().filter(|value| *value > 0.0);
            let f1 =
                printed(&precision).zip(printed(&recall)).map(|(precision, recall)| f1(precision, recall));
            let f1 = percent(f1);
            writeln!(
                f,
                "  {name:width$} | {gold:4} | {correct:7} | {system:6} | {recall:>10} | {precision:>13} | {f1:>6} |"
            )?;
        }
        writeln!(f, "{line}\n")
    };
    let labelled = |counts: Dependencies| counts.labelled();
    write(
        ["LABELED semantic dependencies to ROOT", "(i.e., predicate identification and classification)"],
        "PPOSS",
        &mut predicates().map(|(tag, counts)| (tag, labelled(counts))),
        f,
    )?;
    write(
        ["UNLABELED semantic dependencies to ROOT", "(i.e., predicate identification)"],
        "PPOSS",
        &mut predicates().map(|(tag, counts)| (tag, counts.unlabelled())),
        f,
    )?;
    write(
        ["non-ROOT semantic dependencies", "(i.e., identification and classification of arguments)"],
        "PPOSS(pred) + ARG",
        &mut arguments_by_tag.iter().map(|(name, counts)| (name.as_str(), labelled(*counts))),
        f,
    )
}
