//! One process per trial, so that a trial that crashes, or that the system ends because it needs too much memory, takes no other down.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Context;
use quaich::tuning::{Data, Measure, Outcome, Runner, Trial};

use super::distributed::Search;

/// Runs each trial in a process of this program.
pub(super) struct Processes<'d> {
    program: PathBuf,
    /// The search as JSON.
    search: String,
    data: &'d Data,
    measure: Measure,
}

/// How often the end of a process is looked for.
const PAUSE: Duration = Duration::from_millis(10);

impl<'d> Processes<'d> {
    pub(super) fn new(search: &Search, data: &'d Data, measure: Measure) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("the path of the program is unknown")?;
        Ok(Self { program, search: serde_json::to_string(search)?, data, measure })
    }

    fn start(&self, trial: &Trial, threads: usize) -> std::io::Result<Child> {
        let mut child = Command::new(&self.program)
            .args(["tune", "run", "--piped", "--quiet", "--jobs", &threads.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let trial = serde_json::to_string(trial)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A process that ended early does not read; its exit status says why.
            let _ = stdin.write_all(format!("[{},{trial}]", self.search).as_bytes());
        }
        Ok(child)
    }
}

impl Runner for Processes<'_> {
    fn run(&self, trial: &Trial, threads: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<Outcome> {
        let failed = |reason: String| Some(Outcome::failed(trial.key(self.data, self.measure), reason));
        let mut child = match self.start(trial, threads) {
            Ok(child) => child,
            Err(error) => return failed(format!("the process could not be started: {error}")),
        };
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (ended, stdout, stderr) = std::thread::scope(|scope| {
            let (stdout, stderr) = (scope.spawn(|| text(stdout)), scope.spawn(|| text(stderr)));
            let ended = wait(&mut child, stop);
            (ended, stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default())
        });
        if stop() {
            return None;
        }
        match ended {
            Ok(status) if status.success() => {
                serde_json::from_str(&stdout).map_or_else(|error| failed(error.to_string()), Some)
            }
            Ok(status) => failed(format!("the process ended with {status}: {}", stderr.trim())),
            Err(error) => failed(error.to_string()),
        }
    }
}

/// Waits for the end of a process; ends it if the search is stopped.
fn wait(child: &mut Child, stop: &(dyn Fn() -> bool + Sync)) -> std::io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stop() {
            child.kill()?;
            return child.wait();
        }
        std::thread::sleep(PAUSE);
    }
}

/// All that a process writes.
fn text(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        // What was read before an error is kept.
        let _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
