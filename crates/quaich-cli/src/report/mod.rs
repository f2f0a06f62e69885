//! The evaluation report: a self-contained HTML page with scores, breakdowns as bars, tests, and the sentences with the most
//! errors, with gold and system arcs in one drawing, to search and filter.

mod sentences;
mod tables;

use std::fmt::Write as _;

use quaich::eval::Evaluation;
use quaich::eval::significance::Significance;
use quaich::treebank::visible::visible;
use serde::Serialize;

pub(crate) use self::sentences::WorstSentences;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The content of the page.
pub(crate) struct Report<'a> {
    /// The file of the gold standard.
    pub(crate) gold: &'a str,
    /// The files of the systems.
    pub(crate) systems: &'a [String],
    pub(crate) evaluations: &'a [Evaluation],
    /// Only with several systems.
    pub(crate) significance: Option<&'a Significance>,
    pub(crate) worst: &'a WorstSentences,
}

/// The data of the page's script.
#[derive(Serialize)]
struct Data<'a> {
    systems: &'a [String],
    sentences: Vec<&'a sentences::Shown>,
}

impl Report<'_> {
    /// The page.
    pub(crate) fn html(&self) -> anyhow::Result<String> {
        let data = Data { systems: self.systems, sentences: self.worst.worst_first().collect() };
        // It must not contain the end tag of its element.
        let data = serde_json::to_string(&data)?.replace('<', "\\u003c");
        let mut body = String::new();
        self.write_head(&mut body);
        tables::write_scores(self, &mut body);
        tables::write_tests(self, &mut body);
        tables::write_breakdowns(self, &mut body);
        self.write_sentences(&mut body);
        Ok(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
             <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            escape(&format!("{} against {}", self.systems.join(", "), self.gold)),
        ))
    }

    fn write_head(&self, body: &mut String) {
        let systems: Vec<String> =
            self.systems.iter().map(|system| format!("<b>{}</b>", escape(system))).collect();
        let score = self.evaluations.first().map(|evaluation| evaluation.score).unwrap_or_default();
        // Writing to a string cannot fail, so results are ignored.
        let _ = writeln!(
            body,
            "<header>\n<h1>{} <small>against</small> {}</h1>\n\
             <p>{} sentences, {} tokens, {} of them scored</p>\n\
             <button id=\"theme\" type=\"button\" title=\"dark or light theme\">◐</button>\n</header>",
            systems.join(" <small>and</small> "),
            escape(self.gold),
            score.sentences,
            score.tokens,
            score.scored.tokens,
        );
    }

    fn write_sentences(&self, body: &mut String) {
        let omitted = self.worst.n_omitted();
        let about = match omitted {
            0 => String::from("All sentences with errors."),
            _ => format!("The sentences with the most errors; {omitted} more with errors are not shown."),
        };
        let shown = self.worst.n_shown();
        let _ = writeln!(
            body,
            "<section id=\"sentences\">\n<h2>Sentences</h2>\n<p>{about} \
             <span class=\"right\">correct</span> <span class=\"gold\">only gold</span> <span class=\"system\">only system</span></p>\n\
             <form id=\"filters\">\n\
             <input id=\"search\" type=\"search\" placeholder=\"search words\" aria-label=\"words in the sentence\">\n\
             <select id=\"label\" aria-label=\"label\"><option value=\"\">any label</option></select>\n\
             <select id=\"kind\" aria-label=\"kind of error\"><option value=\"\">any error</option>\
             <option value=\"head\">wrong head</option><option value=\"label\">wrong label, correct head</option></select>\n\
             <select id=\"view\" aria-label=\"analyses to draw\"></select>\n\
             <select id=\"order\" aria-label=\"order\"><option value=\"errors\">most errors first</option>\
             <option value=\"share\">highest error rate first</option><option value=\"text\">text order</option></select>\n\
             <label id=\"differing\" hidden><input id=\"differ\" type=\"checkbox\"> where systems differ</label>\n\
             <output id=\"count\">{shown}</output>\n</form>\n<div id=\"list\"></div>\n\
             <button id=\"more\" type=\"button\" hidden>more</button>\n</section>"
        );
    }
}

/// Text escaped for HTML.
fn escape(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
