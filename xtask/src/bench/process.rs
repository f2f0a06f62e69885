//! Running programs and asking the system what they took.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Builds the program as users do; gives its path.
pub(super) fn build(root: &Path) -> io::Result<PathBuf> {
    checked(cargo(root).args(["build", "--release", "--package", "quaich-cli"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/quaich"))
}

/// The cargo that runs us, in the workspace.
pub(super) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Runs a command that must succeed.
pub(super) fn checked(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(failed(command)) }
}

/// What a command that must succeed writes to standard output.
pub(super) fn output(command: &mut Command) -> io::Result<Vec<u8>> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if output.status.success() { Ok(output.stdout) } else { Err(failed(command)) }
}

/// What several runs of one command took.
pub(super) struct Times {
    /// By the clock, the fastest first.
    pub(super) elapsed: Vec<Duration>,
    /// The least time on the cores, where the system tells.
    pub(super) on_core: Option<Duration>,
}

impl Times {
    pub(super) fn fastest(&self) -> Duration {
        self.elapsed[0]
    }

    pub(super) fn median(&self) -> Duration {
        self.elapsed[self.elapsed.len() / 2]
    }
}

/// Times of commands with their output in a file, in turns, so that a busy minute hits all of them.
pub(super) fn side_by_side<const N: usize>(
    n_runs: usize,
    out: &Path,
    mut commands: [Command; N],
) -> io::Result<[Times; N]> {
    let mut all = std::array::from_fn(|_| Times { elapsed: Vec::new(), on_core: None });
    for _ in 0..n_runs {
        for (command, times) in commands.iter_mut().zip(&mut all) {
            // A file, so that `cat` copies bytes and does not only look at them.
            command.stdout(File::create(out)?);
            let before = on_cores();
            let start = Instant::now();
            checked(command)?;
            times.elapsed.push(start.elapsed());
            let took = since(before);
            times.on_core = times.on_core.map_or(took, |least| took.map(|took| took.min(least)));
        }
    }
    for times in &mut all {
        times.elapsed.sort();
    }
    Ok(all)
}

/// The least time in which two commands end that start together: whether there is a second core to
/// be had.
pub(super) fn together(n_runs: usize, mut commands: [Command; 2]) -> io::Result<Duration> {
    let mut least = Duration::MAX;
    for _ in 0..n_runs {
        let start = Instant::now();
        let mut children = Vec::new();
        for command in &mut commands {
            children.push(command.stdout(Stdio::null()).spawn()?);
        }
        for (mut child, command) in children.into_iter().zip(&commands) {
            if !child.wait()?.success() {
                return Err(failed(command));
            }
        }
        least = least.min(start.elapsed());
    }
    Ok(least)
}

/// What one run took.
pub(super) struct Run {
    pub(super) elapsed: Duration,
    /// Time on the cores, and the most memory, in KiB, where the system tells.
    pub(super) on_core: Option<Duration>,
    pub(super) peak: Option<u64>,
}

impl Run {
    /// Seconds on the cores; by the clock where the system does not tell.
    pub(super) fn seconds(&self) -> f64 {
        self.on_core.unwrap_or(self.elapsed).as_secs_f64()
    }
}

/// Runs a command with `content` so many times through a pipe, and looks at its memory meanwhile.
pub(super) fn watched(command: &mut Command, content: &[u8], times: usize) -> io::Result<Run> {
    let before = on_cores();
    let start = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    let is_done = AtomicBool::new(false);
    let (elapsed, status, peak) = thread::scope(|scope| {
        let (id, is_done) = (child.id(), &is_done);
        let watch = scope.spawn(move || watch_peak(id, is_done));
        let fed = feed(&mut child, content, times);
        let status = child.wait();
        let elapsed = start.elapsed();
        is_done.store(true, Ordering::Relaxed);
        let peak = watch.join().ok().flatten();
        (elapsed, fed.and(status), peak)
    });
    if !status?.success() {
        return Err(failed(command));
    }
    Ok(Run { elapsed, on_core: since(before), peak })
}

/// Runs a command to its end or, with a limit, until that is over; nothing comes of one that had to be stopped.
pub(super) fn measured(command: &mut Command, limit: Option<Duration>) -> io::Result<Option<Run>> {
    let before = on_cores();
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    let is_done = AtomicBool::new(false);
    let (status, elapsed, peak) = thread::scope(|scope| {
        let (id, is_done) = (child.id(), &is_done);
        let watch = scope.spawn(move || watch_peak(id, is_done));
        let status = wait(&mut child, start, limit);
        let elapsed = start.elapsed();
        is_done.store(true, Ordering::Relaxed);
        (status, elapsed, watch.join().ok().flatten())
    });
    match status? {
        None => Ok(None),
        Some(status) if status.success() => Ok(Some(Run { elapsed, on_core: since(before), peak })),
        Some(_) => Err(failed(command)),
    }
}

/// Waits for a program; ends it when the time is over.
fn wait(child: &mut Child, start: Instant, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
    let Some(limit) = limit else { return child.wait().map(Some) };
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn feed(child: &mut Child, content: &[u8], times: usize) -> io::Result<()> {
    let mut pipe = child.stdin.take().ok_or_else(|| io::Error::other("no pipe"))?;
    (0..times).try_for_each(|_| pipe.write_all(content))
}

/// Asks every millisecond: a process that has ended no longer has any memory to tell of.
fn watch_peak(id: u32, is_done: &AtomicBool) -> Option<u64> {
    let mut peak = None;
    while !is_done.load(Ordering::Relaxed) {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).or(peak);
        thread::sleep(Duration::from_millis(1));
    }
    peak
}

/// The time on the cores of all programs run until now.
fn on_cores() -> Option<Duration> {
    // The 16th and 17th fields are the times in user and system mode of children that have ended, in
    // hundredths of a second; the second field, in brackets, may hold spaces.
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |n: usize| fields.get(n - 3)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(16)? + ticks(17)?) * 10))
}

fn since(before: Option<Duration>) -> Option<Duration> {
    Some(on_cores()?.saturating_sub(before?))
}

fn failed(command: &Command) -> io::Error {
    io::Error::other(format!("{command:?} failed"))
}

/// Parses a file on one thread.
pub(super) fn parse(program: &Path, model: &Path, text: &Path, out: &Path) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(["parse", "--quiet", "--jobs", "1", "-m"]).arg(model).arg(text).arg("-o").arg(out);
    checked(&mut command)
}

/// How many of so many words are parsed in a second, from file to file on one thread, starting counted: the most of three
/// runs.
pub(super) fn words_per_second(
    program: &Path,
    model: &Path,
    (text, n_words): (&Path, usize),
    out: &Path,
) -> io::Result<f64> {
    let mut fastest = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        parse(program, model, text, out)?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    #[allow(clippy::cast_precision_loss, reason = "some thousands")]
    let n_words = n_words as f64;
    Ok(n_words / fastest)
}
