//! Where outputs are to go, looked at before any work is done for them.

use std::fs;
use std::path::Path;

use quaich_treebank::Sink;

use crate::output::Usage;

/// Whether a model can be put there once it is trained.
pub(crate) fn check_model<'a>(
    place: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    if Sink::compresses(place) {
        let reason = "models are used where they are in their file, so they are not written compressed; give another name";
        return Err(Usage(format!("{}: {reason}", place.display())).into());
    }
    check_not_input(place, inputs)?;
    // Pipes and devices are opened once: who reads from them would take this for all there is.
    if fs::metadata(place).map_or(true, |found| found.is_file() || found.is_dir()) {
        // Dropped, it leaves nothing behind.
        drop(Sink::create(Some(place))?);
    }
    Ok(())
}

/// Whether an output is something else than what it is made from.
pub(crate) fn check_not_input<'a>(
    place: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    match inputs.into_iter().find(|input| is_same_file(place, input)) {
        Some(input) if input == place => {
            Err(Usage(format!("{}: the output would replace an input", place.display())).into())
        }
        Some(input) => {
            let (place, input) = (place.display(), input.display());
            Err(Usage(format!(
                "{place}: the output would replace an input, as it is the same file as {input}"
            ))
            .into())
        }
        None => Ok(()),
    }
}

/// Whether two names are those of one file, through links too; not of a device. The second may be `-`, for a file that
/// is standard input.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let b = if b.as_os_str() == "-" { Path::new("/dev/stdin") } else { b };
    if !fs::metadata(a).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path| fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
        identity(a).is_some_and(|a| Some(a) == identity(b))
    }
    #[cfg(not(unix))]
    {
        let identity = |path| fs::canonicalize(path).ok();
        identity(a).is_some_and(|a| Some(a) == identity(b))
    }
}
