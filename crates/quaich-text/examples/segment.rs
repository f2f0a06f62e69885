//! Trains a segmenter on a treebank and segments a text.
//!
//! ```text
//! segment TRAIN TEXT OUT [setting=value …]     if TEXT is a treebank, its raw text is used, folded at 80 characters
//! ```

#![allow(clippy::print_stderr, reason = "a program")]

use std::error::Error;
use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

use quaich_learn::Arrays;
use quaich_text::raw_text::{TextOptions, write_text};
use quaich_text::segmenter::{
    OutputOptions, Segmenter, SegmenterOptions, TextMode, TextSentence, TextStream, TrainingProgress,
};
use quaich_treebank::{Sentence, Treebank};

struct Progress(Instant);

impl TrainingProgress for Progress {
    fn begin(&mut self, stage: &str, epochs: usize) {
        eprintln!("{stage}: {epochs} epochs");
    }

    fn epoch(&mut self, done: usize, of: usize, loss: f64) {
        if done.is_multiple_of(of.div_ceil(4)) || done == of {
            eprintln!("{done}/{of} {loss:.4} {:.1} s", self.0.elapsed().as_secs_f64());
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [train, text, out, settings @ ..] = &arguments[..] else {
        return Err("segment TRAIN TEXT OUT [setting=value …]".into());
    };
    let mut options = SegmenterOptions::default();
    let (mut mode, mut fold, mut part, mut repeat) = (TextMode::Text, 80, 0, 1);
    for setting in settings {
        let (name, value) = setting.split_once('=').ok_or("expected name=value")?;
        match name {
            "units" => options.units = value.parse()?,
            "layers" => options.layers = value.parse()?,
            "characters" => options.n_characters = Some(value.parse()?),
            "word-units" => options.word_units = value.parse()?,
            "word-layers" => options.word_layers = value.parse()?,
            "words" => options.n_words = Some(value.parse()?),
            "shuffled" => options.shuffle_rate = value.parse()?,
            "character-dropout" => options.input_dropout.0 = value.parse()?,
            "word-dropout" => options.input_dropout.1 = value.parse()?,
            "unit-dropout" => options.dropout.0 = value.parse()?,
            "word-unit-dropout" => options.dropout.1 = value.parse()?,
            "rate" => options.learning_rates.0 = value.parse()?,
            "word-rate" => options.learning_rates.1 = value.parse()?,
            "batch" => {
                options.batch_sizes =
                    Some((value.parse()?, options.batch_sizes.map_or(1000, |sizes| sizes.1)));
            }
            "word-batch" => {
                options.batch_sizes =
                    Some((options.batch_sizes.map_or(3000, |sizes| sizes.0), value.parse()?));
            }
            "weight" => options.word_weight = value.parse()?,
            "sentence-cost" => options.sentence_cost = Some(value.parse()?),
            "max-repeats" => options.max_repeats = value.parse()?,
            "seed" => options.seed = value.parse()?,
            "fold" => fold = value.parse()?,
            "held-out" => part = value.parse()?,
            "repeat" => repeat = value.parse()?,
            "mode" => {
                mode = match value {
                    "text" => TextMode::Text,
                    "paragraphs" => TextMode::Paragraphs,
                    "lines" => TextMode::Lines,
                    "tokens" => TextMode::Tokens,
                    _ => return Err("unknown mode".into()),
                }
            }
            _ => return Err(format!("unknown setting {name}").into()),
        }
    }
    let treebank =
        if std::path::Path::new(train).is_dir() { Treebank::default() } else { Treebank::read(train)? };
    let started = Instant::now();
    let all: Vec<&Sentence> = treebank.iter().collect();
    // With `held-out=N`, the last 1/N of the sentences is held out and written to OUT.gold.
    let kept = all.len() - all.len().checked_div(part).unwrap_or(0);
    let (all, held_out) = all.split_at(kept);
    let segmenter = if all.is_empty() {
        let mut arrays = Arrays::default();
        for file in std::fs::read_dir(train)? {
            let path = file?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            arrays.set_bytes(&name.replace('%', "/"), std::fs::read(&path)?);
        }
        if let Some(cost) = options.sentence_cost {
            arrays.set("shares", &[options.word_weight, cost]);
        }
        Segmenter::load(&arrays)?
    } else {
        Segmenter::train(all, &options, &mut Progress(started)).ok_or("no text")?
    };
    eprintln!("trained in {:.1} s, spaces {:?}", started.elapsed().as_secs_f64(), segmenter.spacing());
    let mut arrays = Arrays::default();
    segmenter.save(&mut arrays);
    if let Ok(folder) = std::env::var("SAVE") {
        std::fs::create_dir_all(&folder)?;
        for (name, bytes) in arrays.iter() {
            std::fs::write(format!("{folder}/{}", name.replace('/', "%")), bytes)?;
        }
    }
    let segmenter = Arc::new(Segmenter::load(&arrays)?);
    let input = if text.contains(".conll") || part > 0 {
        let mut input = Vec::new();
        let options = TextOptions { fold: Some(fold).filter(|fold| *fold > 0), ..TextOptions::default() };
        let treebank = if part > 0 { None } else { Some(Treebank::read(text)?) };
        let sentences: Vec<Sentence> = match &treebank {
            Some(treebank) => treebank.to_vec(),
            None => held_out.iter().map(|sentence| (*sentence).clone()).collect(),
        };
        if part > 0 {
            std::fs::write(format!("{out}.gold"), sentences.iter().map(Sentence::text).collect::<String>())?;
        }
        write_text(sentences.into_iter().map(Ok::<_, std::io::Error>), options, &mut input)?;
        input
    } else {
        let mut input = Vec::new();
        std::fs::File::open(text)?.read_to_end(&mut input)?;
        input
    };
    for _ in 0..repeat {
        let started = Instant::now();
        let mut stream = TextStream::new(Some(Arc::clone(&segmenter)), &input[..], mode);
        let (mut sentence, mut conllu) = (TextSentence::default(), String::new());
        let (mut n_sentences, mut n_tokens) = (0, 0);
        let mut split = |form: &str, is_multiword: bool, words: &mut Vec<String>| {
            if is_multiword {
                // Placeholder words, which mark multiword tokens in the output.
                words.extend([form.to_owned(), form.to_owned()]);
            }
        };
        while stream.read(&mut sentence)? {
            sentence.write(OutputOptions::default(), &mut split, &mut conllu);
            n_sentences += 1;
            n_tokens += sentence.tokens.len();
        }
        let seconds = started.elapsed().as_secs_f64();
        #[allow(clippy::cast_precision_loss, reason = "only printed")]
        let speed = input.len() as f64 / 1e6 / seconds;
        eprintln!("{n_sentences} sentences, {n_tokens} tokens, {seconds:.3} s, {speed:.2} MB/s");
        // Attach every word to the previous one, because scorers expect trees.
        let tree: String = conllu
            .split_inclusive('\n')
            .map(|line| {
                let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
                if let (10, Ok(number)) = (cells.len(), cells[0].parse::<usize>()) {
                    cells[6] = number.saturating_sub(1).to_string();
                    if number == 1 { "root" } else { "dep" }.clone_into(&mut cells[7]);
                }
                cells.join("\t")
            })
            .collect();
        std::fs::write(out, tree)?;
    }
    Ok(())
}
