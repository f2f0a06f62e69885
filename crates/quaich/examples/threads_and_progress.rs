//! A training that is watched and ended early, and a model that several threads parse with.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use quaich::{Event, Observer, Settings, Trainer, Treebank};

/// Counts steps, and has enough after some.
struct Watch {
    done: AtomicUsize,
    enough: usize,
}

impl Observer for Watch {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Step => {
                self.done.fetch_add(1, Ordering::Relaxed);
            }
            Event::Work { steps } => println!("{steps} steps to do"),
            Event::Stage { .. } => {}
            event => println!("{event}"),
        }
    }

    fn stop(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.enough
    }
}

fn main() -> quaich::Result<()> {
    let train = Treebank::from_text(quaich::sample::TRAIN)?;
    let watch = Watch { done: AtomicUsize::new(0), enough: 8 };
    let settings = Settings::default().with("learner=network")?;
    let model = Trainer::new(&settings).observer(&watch).train(&train)?;
    println!("interrupted: {}", model.description().interrupted);
    let test = Treebank::from_text(quaich::sample::TEST)?;
    let sentences = &test[..4];
    thread::scope(|scope| {
        for sentence in sentences {
            // A worker holds its model: it can outlive whoever made it.
            let mut worker = model.worker();
            scope.spawn(move || {
                let parsed = worker.parse_sentence(sentence);
                println!("{} words", parsed.words().count());
            });
        }
    });
    Ok(())
}
