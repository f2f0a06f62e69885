//! `cargo xtask python`: builds the Python package as a wheel, installs it into an empty environment and tests it there.
//!
//! maturin and pytest come from `PyPI` and are needed. The packages of the other tests are optional: where they cannot be installed, or Java
//! is missing, these tests are skipped, and the last line says so. Nothing of the checkout's Python files is imported: the tests see the
//! wheel.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::say;

/// Where everything is made; removed at the start, except what is compiled.
const FOLDER: &str = "target/python";
/// The most bytes of a wheel: the module and the program, compressed.
const MAX_WHEEL: u64 = 15_000_000;
/// The most seconds from no environment to the first tree.
const MAX_START: Duration = Duration::from_secs(30);
/// The most time for the tests of an engine: a worker that does not start would be waited for without end.
const MAX_TESTS: Duration = Duration::from_mins(15);
/// The first version of Java that Spark runs on.
const MIN_JAVA: u32 = 17;
/// What the environment of the core tests has besides the wheel.
const CORE: &[&str] = &["pytest>=9"];
/// The tests that need nothing else.
const CORE_TESTS: &[&str] = &[
    "test_parsing.py",
    "test_errors.py",
    "test_training.py",
    "test_processes.py",
    "test_program.py",
    "test_treebanks.py",
];
const TESTS: &str = "bindings/python/tests";
/// The packages of the other tests, a file per group.
const REQUIREMENTS: &str = "bindings/python/requirements";
/// The other tests: the group of packages that they need, files, and the beginning of names. Those of the documentation run what they have
/// packages for.
const OTHER_TESTS: &[(&str, &[&str], &str)] = &[
    ("arrow", &["test_arrow.py"], ""),
    ("convert", &["test_convert.py", "test_docs.py"], ""),
    ("spark", &["test_engines.py"], "test_spark"),
    ("ray", &["test_engines.py"], "test_ray"),
];
/// Trains a small model and parses a sentence.
const FIRST_TREE: &str = "import quaich, sys; model = quaich.train(sys.argv[1], preset='fast', progress=False); \
                          print(model.parse('The old man sleeps.')[0].to_tree())";

/// Builds, installs and tests the package.
pub(crate) fn run() -> ExitCode {
    match package() {
        Ok(skipped) if skipped.is_empty() => {
            say("== python: all passed, nothing was skipped");
            ExitCode::SUCCESS
        }
        Ok(skipped) => {
            say(&format!("== python: all passed, but these tests were skipped: {}", skipped.join("; ")));
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("== python failed: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Returns what was skipped, with the reasons.
fn package() -> io::Result<Vec<String>> {
    let folder = env::current_dir()?.join(FOLDER);
    let (environment, wheels) = (folder.join("environment"), folder.join("wheels"));
    for made in [&environment, &wheels] {
        if made.exists() {
            fs::remove_dir_all(made)?;
        }
    }
    fs::create_dir_all(&folder)?;
    let compiled = folder.join("cargo");
    let mut format = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    step("formatting", format.args(["fmt", "--check", "--manifest-path", "bindings/python/Cargo.toml"]))?;

    let begin = Instant::now();
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    step("an empty environment", Command::new(python).args(["-m", "venv"]).arg(&environment))?;
    let made = begin.elapsed();
    let python = Environment { scripts: environment.join("bin"), folder };

    let build = ["wheel", "--quiet", "--no-deps", "--wheel-dir"];
    let mut pip = python.program("pip");
    step("the wheel", pip.args(build).arg(&wheels).arg(".").env("CARGO_TARGET_DIR", &compiled))?;
    let wheel = only_file(&wheels)?;
    check_size(&wheel)?;

    let begin = Instant::now();
    step("installation of the wheel", python.program("pip").args(["install", "--quiet"]).arg(&wheel))?;
    step("the program", python.program("quaich").args(["--version"]).stdout(Stdio::null()))?;
    let mut tree = python.program("python");
    step("the first tree", tree.args(["-c", FIRST_TREE, "data/sample/train.conllu"]))?;
    report_start(made + begin.elapsed());

    step("what the core tests need", python.program("pip").args(["install", "--quiet"]).args(CORE))?;
    let core = CORE_TESTS.iter().map(|file| format!("{TESTS}/{file}"));
    step("core tests", python.tests().args(core))?;

    let mut skipped = Vec::new();
    for &(group, files, names) in OTHER_TESTS {
        let missing = if group == "spark" { missing_java() } else { None };
        if let Some(reason) = missing.or_else(|| python.install(group)) {
            say(&format!("== python: tests of {group} are skipped: {reason}"));
            skipped.push(format!("{group} ({reason})"));
            continue;
        }
        let mut command = python.tests();
        command.args(files.iter().map(|file| format!("{TESTS}/{file}"))).args(["-k", names]);
        step_within(&format!("tests of {group}"), &mut command, MAX_TESTS)?;
    }
    if let Some(reason) = python.install("types") {
        skipped.push(format!("types ({reason})"));
        return Ok(skipped);
    }
    step("types", &mut python.program("mypy"))?;
    step(
        "stubs",
        python.program("stubtest").args(["quaich._quaich", "--mypy-config-file", "pyproject.toml"]),
    )?;
    Ok(skipped)
}

/// An environment of Python.
struct Environment {
    scripts: PathBuf,
    folder: PathBuf,
}

impl Environment {
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.scripts.join(name));
        // Nothing of the caller's environment is found, and pip does not ask.
        command.env_remove("PYTHONPATH").env_remove("PYTHONHOME").env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        command
    }

    fn tests(&self) -> Command {
        let mut command = self.program("pytest");
        let cache = format!("cache_dir={}", self.folder.join("pytest").display());
        command.args(["--quiet", "--durations=3", "-rs", "-o", &cache]);
        command
    }

    /// Installs a group of packages; returns the reason if that is not possible.
    fn install(&self, group: &str) -> Option<String> {
        let file = format!("{REQUIREMENTS}/{group}.txt");
        let mut pip = self.program("pip");
        let installed =
            step(&format!("packages for {group}"), pip.args(["install", "--quiet", "--requirement", &file]));
        installed.err().map(|_| "its packages could not be installed".to_owned())
    }
}

/// Why Spark cannot run, if it cannot.
fn missing_java() -> Option<String> {
    let home = env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin/java"));
    let java = home.unwrap_or_else(|| "java".into());
    let Ok(output) = Command::new(java).arg("-version").output() else {
        return Some("Java is not installed".to_owned());
    };
    match java_version(&String::from_utf8_lossy(&output.stderr)) {
        Some(version) if version >= MIN_JAVA => None,
        Some(version) => Some(format!("found Java {version}, expected {MIN_JAVA} or newer")),
        None => Some("found a Java without a version".to_owned()),
    }
}

/// The major version in what `java -version` prints.
fn java_version(printed: &str) -> Option<u32> {
    let version = printed.split('"').nth(1)?;
    version.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

/// Runs a command; an error if it fails.
fn step(name: &str, command: &mut Command) -> io::Result<()> {
    step_within(name, command, Duration::MAX)
}

/// Runs a command; an error if it fails, or ended because it takes longer than this.
fn step_within(name: &str, command: &mut Command, limit: Duration) -> io::Result<()> {
    say(&format!("== python: {name}"));
    let begin = Instant::now();
    let status = status_within(command, limit).map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        io::Error::other(format!("{name}: {program}: {error}"))
    })?;
    say(&format!("== python: {name}: {:.1} s", begin.elapsed().as_secs_f64()));
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{name}: {status}"))) }
}

fn status_within(command: &mut Command, limit: Duration) -> io::Result<ExitStatus> {
    const TICK: Duration = Duration::from_millis(50);
    let begin = Instant::now();
    let mut child = command.spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if begin.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other(format!("ended after {} s", limit.as_secs())));
        }
        thread::sleep(TICK);
    }
}

fn only_file(folder: &Path) -> io::Result<PathBuf> {
    let entry = fs::read_dir(folder)?.next().ok_or_else(|| io::Error::other("found no wheel"))?;
    Ok(entry?.path())
}

fn check_size(wheel: &Path) -> io::Result<()> {
    let (size, name) = (fs::metadata(wheel)?.len(), wheel.display());
    say(&format!("== python: {name}: {size} bytes"));
    if size > MAX_WHEEL {
        let message = format!("{name}: found {size} bytes, expected at most {MAX_WHEEL}");
        return Err(io::Error::other(message));
    }
    Ok(())
}

/// Says how long a new user waits. Not an error: the machine may be busy.
fn report_start(time: Duration) {
    let late =
        if time > MAX_START { ", expected at most 30 s; other work on the machine counts" } else { "" };
    say(&format!("== python: from no environment to the first tree: {:.1} s{late}", time.as_secs_f64()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_java_are_read() {
        assert_eq!(java_version("openjdk version \"17.0.15\" 2025-04-15\nOpenJDK"), Some(17));
        assert_eq!(java_version("java version \"1.8.0_202\""), Some(1));
        assert_eq!(java_version("openjdk version \"21-ea\""), Some(21));
        assert_eq!(java_version("not found"), None);
    }

    #[test]
    fn a_command_that_takes_too_long_is_ended() {
        let mut command = Command::new("sleep");
        let error = status_within(command.arg("60"), Duration::from_millis(100)).unwrap_err();
        assert_eq!(error.to_string(), "ended after 0 s");
        assert!(status_within(&mut Command::new("true"), Duration::MAX).unwrap().success());
    }

    #[test]
    fn every_group_of_tests_has_its_requirements() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(REQUIREMENTS);
        for group in OTHER_TESTS.iter().map(|(group, ..)| *group).chain(["types"]) {
            assert!(folder.join(format!("{group}.txt")).is_file(), "{group}");
        }
    }
}
