//! `quaich demo`: what quaich does, with nothing installed and no files: the sample treebank is described, a model is trained on it and
//! scored, and a sentence of plain text is parsed and drawn.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use indicatif::ProgressBar;
use quaich::draw::Picture;
use quaich::eval::describe::Describer;
use quaich::sample;
use quaich::treebank::{ReadOptions, Reader, Sentence, Source};
use quaich::{Event, Observer, Settings};

use super::draw;
use crate::output::{self, Screen};
use crate::progress;

/// The measures that are shown.
const SHOWN: [&str; 5] = ["Sentences", "Words", "UPOS", "Lemmas", "LAS"];
/// The text that is parsed and drawn.
const TEXT: &str = "The old woman opened the door of the shop, but nobody came in.";

/// Train a model on the bundled sample treebank, score it, and draw a parsed sentence of plain text
#[derive(Args)]
#[command(after_help = "Examples:
  quaich demo
  quaich demo --ascii")]
pub(crate) struct Demo {
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
}

impl Demo {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let header = ["", "sentences", "tokens", "labels", "non-projective", "mean arc length"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for (name, text) in sample::PARTS {
            let mut describer = Describer::new();
            for sentence in read(name, text)? {
                describer.add(&sentence);
            }
            let found = describer.description();
            rows.push(vec![
                name.to_owned(),
                found.sentences.to_string(),
                found.tokens.to_string(),
                found.labels.to_string(),
                found.nonprojective_sentences.to_string(),
                format!("{:.2}", found.mean_arc_length),
            ]);
        }
        let mut text = String::from("The bundled sample treebank (English):\n\n");
        text.push_str(&output::table(&rows));
        output::text(&text)?;

        output::note("\ntraining on sample/train.conllu …");
        let sentences = read("sample/train.conllu", sample::TRAIN)?;
        // Faster to train than the default, and as accurate on so little data.
        let bar = TrainingBar(progress::step_bar("training"));
        let model = quaich::Trainer::new(&Settings::preset("fast")?).observer(&bar).train(&sentences);
        progress::clear();
        let model = model?;
        let mut text = String::from("\nParsed from plain text:\n\n");
        for (number, parsed) in (1..).zip(model.worker().parse_raw(TEXT)?) {
            let sentence = parsed.to_sentence()?;
            let drawn = draw::draw(&Picture::of(&sentence), false, self.ascii, Screen::stdout());
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}\n{drawn}", draw::title(&sentence, number));
        }
        let test = read("sample/test.conllu", sample::TEST)?;
        text.push_str("Scores on the test set, in percent:\n\n");
        let measures = model.score_text(&test)?;
        let shown = measures.iter().filter(|(name, _)| SHOWN.contains(&name.as_str()));
        let mut rows: Vec<Vec<String>> = vec![vec!["from plain text".to_owned()], vec![String::new()]];
        for (name, value) in shown {
            rows[0].push(name.clone());
            rows[1].push(format!("{value:.1}"));
        }
        text.push_str(&output::table(&rows));
        if let Some(scores) = model.score(&test) {
            let _ = writeln!(text, "\nWith the words and tags of the treebank: LAS {:.1}", scores.las);
        }
        output::drawing(&text)?;
        output::note("\nnext: quaich train TRAIN.conllu -o MODEL");
        output::note("      quaich parse -m MODEL TEXT.txt -o PARSED.conllu");
        Ok(ExitCode::SUCCESS)
    }
}

fn read(name: &str, text: &'static str) -> anyhow::Result<Vec<Sentence>> {
    let source = Source::from_stream(text.as_bytes(), name.to_owned(), None)?;
    Ok(Reader::new(source, &ReadOptions::default())?.sentences().collect::<Result<_, _>>()?)
}

/// Shows the progress of training.
struct TrainingBar(ProgressBar);

impl Observer for TrainingBar {
    fn event(&self, event: &Event<'_>) {
        match event {
            // Each part of the model announces its steps when it starts.
            Event::Work { steps } => self.0.inc_length(*steps as u64),
            Event::Step => self.0.inc(1),
            _ => {}
        }
    }
}
