//! Observes training and stops it early, then parses in several threads.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use quaich::{Event, Observer, Settings, Trainer, Treebank};

/// Counts steps and stops training after `max`.
struct StepLimit {
    done: AtomicUsize,
    max: usize,
}

impl Observer for StepLimit {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Step => {
                self.done.fetch_add(1, Ordering::Relaxed);
            }
            Event::Work { steps } => println!("{steps} steps"),
            Event::Stage { .. } => {}
            event => println!("{event}"),
        }
    }

    fn stop(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.max
    }
}

fn main() -> quaich::Result<()> {
    let train = Treebank::from_text(quaich::sample::TRAIN)?;
    let limit = StepLimit { done: AtomicUsize::new(0), max: 8 };
    let settings = Settings::default().with("learner=network")?;
    let model = Trainer::new(&settings).observer(&limit).train(&train)?;
    println!("interrupted: {}", model.description().interrupted);
    let test = Treebank::from_text(quaich::sample::TEST)?;
    let sentences = &test[..4];
    thread::scope(|scope| {
        for sentence in sentences {
            // A worker shares ownership of its model.
            let mut worker = model.worker();
            scope.spawn(move || {
                let parsed = worker.parse_sentence(sentence);
                println!("{} words", parsed.words().count());
            });
        }
    });
    Ok(())
}
