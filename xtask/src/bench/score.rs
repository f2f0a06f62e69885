//! What `quaich eval` makes of a parse.

use std::io;
use std::path::Path;
use std::process::Command;

use super::process::output;

/// The labelled attachment score of a parsed file.
pub(super) fn las(program: &Path, gold: &Path, parsed: &Path) -> io::Result<f64> {
    scores(program, gold, parsed, ["las"]).map(|[las]| las)
}

/// Scores of a parsed file by their names.
pub(super) fn scores<const N: usize>(
    program: &Path,
    gold: &Path,
    parsed: &Path,
    names: [&str; N],
) -> io::Result<[f64; N]> {
    scores_by(program, &[], (gold, parsed), names)
}

/// The same, with options of `quaich eval`.
pub(super) fn scores_by<const N: usize>(
    program: &Path,
    options: &[&str],
    (gold, parsed): (&Path, &Path),
    names: [&str; N],
) -> io::Result<[f64; N]> {
    let mut command = Command::new(program);
    let json = output(command.args(["eval", "--quiet", "--json"]).args(options).arg(gold).arg(parsed))?;
    let json = String::from_utf8_lossy(&json);
    let mut scores = [0.0; N];
    for (score, name) in scores.iter_mut().zip(names) {
        let found = json.lines().find_map(|line| line.trim().strip_prefix(&format!("\"{name}\": ")));
        let found = found.and_then(|found| found.trim_end_matches(',').parse().ok());
        *score = found.ok_or_else(|| io::Error::other(format!("no {name}")))?;
    }
    Ok(scores)
}

/// How likely the difference in LAS of two parsed files is chance, by the randomised comparator.
pub(super) fn significance(program: &Path, gold: &Path, parsed: [&Path; 2]) -> io::Result<f64> {
    let mut command = Command::new(program);
    let json = output(command.args(["eval", "--quiet", "--json"]).arg(gold).args(parsed))?;
    let json = String::from_utf8_lossy(&json);
    let after = |text: &str, mark: &str| text.split_once(mark).map(|(_, rest)| rest.to_owned());
    let p = after(&json, "\"measure\": \"las\"")
        .and_then(|rest| after(&rest, "\"randomised\""))
        .and_then(|rest| after(&rest, "\"p\": "));
    let p = p.and_then(|rest| rest.split(',').next()?.trim().parse().ok());
    p.ok_or_else(|| io::Error::other("no test in the evaluation"))
}
