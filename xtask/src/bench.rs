//! `cargo xtask bench NAME [TIMES]`: how fast treebanks are read and written, beside a plain copy
//! of the bytes, and how much memory a long file takes. Results go to `benchmarks/runs/DATE-NAME/`.
//!
//! The file is english-ewt's training data where `QUAICH_TREEBANKS` names a folder of treebanks;
//! otherwise the sample treebank, repeated. The long file is that file TIMES times (100 if not
//! given), through a pipe.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::say;

/// How often everything is run; the fastest counts.
const RUNS: usize = 9;

/// Measures and writes the results.
pub(crate) fn run(name: &str, times: usize) -> ExitCode {
    match measure(name, times) {
        Ok(report) => {
            say(&report);
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("bench failed: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn measure(name: &str, times: usize) -> io::Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let program = build(&root)?;
    let scratch = std::env::temp_dir().join(format!("quaich-bench-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let (what, content) = input(&root)?;
    let file = scratch.join("input.conllu");
    fs::write(&file, &content)?;
    let n_tokens = count_tokens(&content);

    let convert = |command: &mut Command| {
        command.arg("convert").arg(&file).args(["--to", "conllu"]);
    };
    let quaich = fastest(|| {
        let mut command = Command::new(&program);
        convert(&mut command);
        command
    })?;
    let cat = fastest(|| {
        let mut command = Command::new("cat");
        command.arg(&file);
        command
    })?;
    let copied = Command::new(&program).arg("convert").arg(&file).args(["--to", "conllu"]).output()?;
    if copied.stdout != content {
        return Err(io::Error::other("the output is not the input"));
    }
    let long = long_stream(&program, &content, times)?;
    fs::remove_dir_all(&scratch)?;

    let report = report(&what, content.len(), n_tokens, &quaich, &cat, &long);
    let folder = root.join("benchmarks/runs").join(format!("{}-{name}", today()));
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("README.md"), &report)?;
    Ok(report)
}

/// Builds the program as users do; gives its path.
fn build(root: &Path) -> io::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--package", "quaich-cli"])
        .current_dir(root)
        .status()?;
    if !status.success() {
        return Err(io::Error::other("the program does not build"));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/quaich"))
}

/// The file to measure with, and what it is.
fn input(root: &Path) -> io::Result<(String, Vec<u8>)> {
    if let Some(treebanks) = std::env::var_os("QUAICH_TREEBANKS") {
        let file = PathBuf::from(treebanks).join("english-ewt/train.conllu");
        if file.is_file() {
            return Ok(("english-ewt train".to_owned(), fs::read(file)?));
        }
    }
    let sample = fs::read(root.join("data/sample/train.conllu"))?;
    Ok(("the sample's train.conllu 60 times".to_owned(), sample.repeat(60)))
}

/// Rows that start with a plain number.
fn count_tokens(content: &[u8]) -> usize {
    let is_token = |line: &[u8]| {
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && line.get(digits) == Some(&b'\t')
    };
    content.split(|&byte| byte == b'\n').filter(|line| is_token(line)).count()
}

/// Times of a command whose output goes nowhere, the fastest first.
fn fastest(command: impl Fn() -> Command) -> io::Result<Vec<Duration>> {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let mut command = command();
        // A file, so that `cat` copies bytes and does not only look at them.
        command.stdout(File::create(std::env::temp_dir().join("quaich-bench-out"))?);
        let start = Instant::now();
        if !command.status()?.success() {
            return Err(io::Error::other(format!("{command:?} failed")));
        }
        times.push(start.elapsed());
    }
    fs::remove_file(std::env::temp_dir().join("quaich-bench-out"))?;
    times.sort();
    Ok(times)
}

/// What a long stream took.
struct Long {
    times: usize,
    elapsed: Duration,
    /// The program's own time on its core, and the most memory it had, in KiB, where the system
    /// tells.
    on_core: Option<Duration>,
    peak: Option<u64>,
}

/// The file many times through a pipe.
fn long_stream(program: &Path, content: &[u8], times: usize) -> io::Result<Long> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(["convert", "-", "--to", "conllu"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let mut pipe = child.stdin.take().ok_or_else(|| io::Error::other("no pipe"))?;
    for _ in 0..times {
        pipe.write_all(content)?;
    }
    // Everything but the last of it has been read: the program is still there to be asked.
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    // The 14th and 15th fields are its times in user and system mode, in hundredths of a second.
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields.split_whitespace().collect::<Vec<_>>());
    let ticks = |fields: &[&str], n: usize| fields.get(n - 3)?.parse::<u64>().ok();
    let on_core = fields.and_then(|fields| Some(ticks(&fields, 14)? + ticks(&fields, 15)?));
    drop(pipe);
    if !child.wait()?.success() {
        return Err(io::Error::other("the long stream failed"));
    }
    let on_core = on_core.map(|ticks| Duration::from_millis(ticks * 10));
    Ok(Long { times, elapsed: start.elapsed(), on_core, peak })
}

fn report(
    what: &str,
    n_bytes: usize,
    n_tokens: usize,
    quaich: &[Duration],
    cat: &[Duration],
    long: &Long,
) -> String {
    let per_second = |n: usize, time: Duration| {
        #[allow(clippy::cast_precision_loss, reason = "a figure for people to read")]
        let n = n as f64;
        n / time.as_secs_f64() / 1e6
    };
    let list = |times: &[Duration]| {
        times.iter().map(|time| format!("{:.4}", time.as_secs_f64())).collect::<Vec<_>>().join(" ")
    };
    let mut text = String::from("# Reading and writing\n\n");
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "Made by `cargo xtask bench`. {}, {} of them to use.\n\n\
         Input: {what}, {n_tokens} tokens, {n_bytes} bytes. Output to a file.\n\n\
         | | best of {RUNS} | M tokens/s | MB/s |\n|---|---|---|---|\n",
        cpu(),
        std::thread::available_parallelism().map_or(1, usize::from),
    );
    for (name, runs) in [("`quaich convert FILE --to conllu`", quaich), ("`cat FILE`", cat)] {
        let _ = writeln!(
            text,
            "| {name} | {:.4} s | {:.2} | {:.0} |",
            runs[0].as_secs_f64(),
            per_second(n_tokens, runs[0]),
            per_second(n_bytes, runs[0])
        );
    }
    let _ = write!(
        text,
        "\nThe input {} times through a pipe ({} MB, {} tokens): {:.2} s, {:.2} M tokens/s; {}; {} at most.\n\n\
         All times in seconds, fastest first:\n\n- quaich: {}\n- cat: {}\n",
        long.times,
        n_bytes * long.times / 1_000_000,
        n_tokens * long.times,
        long.elapsed.as_secs_f64(),
        per_second(n_tokens * long.times, long.elapsed),
        long.on_core.map_or("time on the core unknown".to_owned(), |time| format!(
            "{:.2} s on its core, {:.2} M tokens/s",
            time.as_secs_f64(),
            per_second(n_tokens * long.times, time)
        )),
        long.peak.map_or("memory unknown".to_owned(), |kib| format!("{kib} KiB of memory")),
        list(quaich),
        list(cat)
    );
    text
}

/// What the processor calls itself.
fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("An unknown processor".to_owned(), |(_, name)| name.to_owned())
}

/// The date, in UTC, as YYYY-MM-DD (days to civil date as in the proleptic Gregorian calendar).
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (mut year, mut day) = (1970, seconds / 86_400);
    let is_leap =
        |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}
