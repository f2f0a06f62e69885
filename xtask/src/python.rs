//! `cargo xtask python`: builds the Python package as a wheel, installs it into an empty environment and tests it there.
//!
//! Everything comes from `PyPI` by name; without a connection the step fails. Nothing of the checkout's Python files is imported: the tests
//! see the wheel.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::say;

/// Where everything is made; removed at the start, except what is compiled.
const FOLDER: &str = "target/python";
/// The most bytes of a wheel: the module and the program, compressed.
const MAX_WHEEL: u64 = 15_000_000;
/// What the environment of the core tests has besides the wheel.
const CORE: &[&str] = &["pytest"];
/// The tests that need nothing else.
const CORE_TESTS: &[&str] =
    &["test_parsing.py", "test_errors.py", "test_training.py", "test_processes.py", "test_program.py"];
const TESTS: &str = "bindings/python/tests";

/// Builds, installs and tests the package.
pub(crate) fn run() -> ExitCode {
    match package() {
        Ok(()) => {
            say("== python: all passed");
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("== python failed: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn package() -> io::Result<()> {
    let folder = env::current_dir()?.join(FOLDER);
    let (environment, wheels) = (folder.join("environment"), folder.join("wheels"));
    for made in [&environment, &wheels] {
        if made.exists() {
            fs::remove_dir_all(made)?;
        }
    }
    fs::create_dir_all(&folder)?;
    let cargo = || {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.env("CARGO_TARGET_DIR", folder.join("cargo"));
        command
    };
    let manifest = ["--manifest-path", "bindings/python/Cargo.toml"];
    step("formatting", cargo().args(["fmt", "--check"]).args(manifest))?;
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    step("an empty environment", Command::new(python).args(["-m", "venv"]).arg(&environment))?;
    let python = Environment { scripts: environment.join("bin"), folder };

    step(
        "the wheel",
        python
            .program("pip")
            .args(["wheel", "--quiet", "--no-deps", "--wheel-dir"])
            .arg(&wheels)
            .arg(".")
            .env("CARGO_TARGET_DIR", python.folder.join("cargo")),
    )?;
    let wheel = only_file(&wheels)?;
    check_size(&wheel)?;

    let start = Instant::now();
    step("installation of the wheel", python.program("pip").args(["install", "--quiet"]).arg(&wheel))?;
    step("the program", python.program("quaich").args(["--version"]).stdout(Stdio::null()))?;
    say(&format!("== installed after {:.1} s", start.elapsed().as_secs_f64()));

    step("core test tools", python.program("pip").args(["install", "--quiet"]).args(CORE))?;
    let core = CORE_TESTS.iter().map(|file| format!("{TESTS}/{file}"));
    step("core tests", python.tests().args(core))?;

    let requirements = "bindings/python/requirements-test.txt";
    step(
        "what the other tests need",
        python.program("pip").args(["install", "--quiet", "--requirement", requirements]),
    )?;
    let others = ["test_arrow.py", "test_convert.py", "test_docs.py"].map(|file| format!("{TESTS}/{file}"));
    step("other tests", python.tests().args(others))?;
    let engines = format!("{TESTS}/test_engines.py");
    step("engines", python.tests().args([engines.as_str(), "-k", "test_spark or test_ray", "-rs"]))?;

    step("types", &mut python.program("mypy"))?;
    step("stubs", python.program("stubtest").args(["quaich", "--mypy-config-file", "pyproject.toml"]))
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
        command.args(["--quiet", "--durations=5", "-o", &cache]);
        command
    }
}

/// Runs a command; an error if it fails.
fn step(name: &str, command: &mut Command) -> io::Result<()> {
    say(&format!("== python: {name}"));
    let status = command.status().map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        io::Error::other(format!("{program}: {error}"))
    })?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{name}: {status}"))) }
}

fn only_file(folder: &Path) -> io::Result<PathBuf> {
    let entry = fs::read_dir(folder)?.next().ok_or_else(|| io::Error::other("found no wheel"))?;
    Ok(entry?.path())
}

fn check_size(wheel: &Path) -> io::Result<()> {
    let (size, name) = (fs::metadata(wheel)?.len(), wheel.display());
    say(&format!("== {name}: {size} bytes"));
    if size > MAX_WHEEL {
        let message = format!("{name}: found {size} bytes, expected at most {MAX_WHEEL}");
        return Err(io::Error::other(message));
    }
    Ok(())
}
