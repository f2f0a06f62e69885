//! Output files: complete or absent, compressed according to their name, and never
//! overwriting an input.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sample/dev.conllu")
}

fn quaich(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quaich")).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn a_failed_command_writes_nothing_and_keeps_an_existing_file() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.conllu");
    let sound = fs::read_to_string(sample()).unwrap();
    fs::write(&broken, sound + "1\tbroken\n\n").unwrap();
    let out = folder.path().join("out.conll");
    let run =
        || quaich(&["convert", broken.to_str().unwrap(), "--to", "conllx", "-o", out.to_str().unwrap()]);
    assert_eq!(run().status.code(), Some(1));
    assert_eq!(names(folder.path()), ["broken.conllu"]);
    fs::write(&out, "kept").unwrap();
    assert_eq!(run().status.code(), Some(1));
    assert_eq!(names(folder.path()), ["broken.conllu", "out.conll"]);
    assert_eq!(fs::read_to_string(&out).unwrap(), "kept");
}

/// Writes the sample to `path` and returns the content of the file.
#[cfg(unix)]
fn write_sample(path: &Path) -> Vec<u8> {
    let written =
        quaich(&["convert", sample().to_str().unwrap(), "--to", "conllu", "-o", path.to_str().unwrap()]);
    assert!(written.status.success(), "{written:?}");
    fs::read(path).unwrap()
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.conllu");
    for mode in [0o600, 0o664] {
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(write_sample(&file), fs::read(sample()).unwrap());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, mode);
    }
}

#[cfg(unix)]
#[test]
fn links_stay_links() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let sound = fs::read(sample()).unwrap();
    fs::create_dir(at("elsewhere")).unwrap();
    fs::write(at("elsewhere/file"), "old").unwrap();
    symlink("elsewhere/file", at("link")).unwrap();
    symlink("link", at("link-to-link")).unwrap();
    symlink("elsewhere/not-yet", at("dangling")).unwrap();
    for (link, file) in
        [("link", "elsewhere/file"), ("link-to-link", "elsewhere/file"), ("dangling", "elsewhere/not-yet")]
    {
        assert_eq!(write_sample(&at(link)), sound);
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
        assert_eq!(fs::read(at(file)).unwrap(), sound);
        fs::write(at(file), "old").unwrap();
    }
    fs::hard_link(at("elsewhere/file"), at("other-name")).unwrap();
    write_sample(&at("elsewhere/file"));
    assert_eq!(fs::read(at("other-name")).unwrap(), sound);
    assert_eq!(names(&at("elsewhere")), ["file", "not-yet"]);
    // A circle is an error, not an endless search.
    symlink("circle", at("circle")).unwrap();
    let (sample, circle) = (sample(), at("circle"));
    let refused =
        quaich(&["convert", sample.to_str().unwrap(), "--to", "conllu", "-o", circle.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn output_is_compressed_by_name_and_read_by_content() {
    let folder = tempfile::tempdir().unwrap();
    let extensions: &[&str] =
        if cfg!(feature = "zstd") { &["gz", "xz", "bz2", "zst"] } else { &["gz", "xz", "bz2"] };
    for extension in extensions {
        let packed = folder.path().join(format!("out.conllu.{extension}"));
        let path = packed.to_str().unwrap();
        let sample = sample();
        let written = quaich(&["convert", sample.to_str().unwrap(), "--to", "conllu", "-o", path]);
        assert!(written.status.success());
        assert!(fs::metadata(&packed).unwrap().len() < fs::metadata(&sample).unwrap().len() / 2);
        // Input is decompressed according to its content, not its name.
        let renamed = folder.path().join("renamed");
        fs::rename(&packed, &renamed).unwrap();
        let unpacked = quaich(&["convert", renamed.to_str().unwrap(), "--to", "conllu"]);
        assert_eq!(unpacked.stdout, fs::read(&sample).unwrap());
        // Cut short, it is an error.
        let bytes = fs::read(&renamed).unwrap();
        fs::write(&renamed, &bytes[..bytes.len() / 2]).unwrap();
        let output = quaich(&["convert", renamed.to_str().unwrap(), "--to", "conllu"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
}

#[test]
fn standard_input_is_read_where_no_file_is_given() {
    let output = Command::new(env!("CARGO_BIN_EXE_quaich"))
        .args(["convert", "--to", "conllu"])
        .stdin(File::open(sample()).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.stdout, fs::read(sample()).unwrap());
}

#[test]
fn a_closed_pipe_is_success() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("long.conllu");
    fs::write(&long, fs::read_to_string(sample()).unwrap().repeat(100)).unwrap();
    for arguments in
        [&["convert", "--to", "conllu"][..], &["draw"], &["validate", "--all", "--format", "malttab"]]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quaich"))
            .args(arguments)
            .arg(&long)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn an_svg_is_drawn_for_every_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("out.svg");
    let output = quaich(&["draw", sample().to_str().unwrap(), "-o", svg.to_str().unwrap()]);
    assert!(output.status.success());
    let svg = fs::read_to_string(svg).unwrap();
    assert_eq!(svg.matches("class=\"title\"").count(), 34);
    assert_eq!(svg.matches("class=\"form\"").count(), 386);
}

/// A short training run with these arguments.
fn train(arguments: &[&str]) -> Output {
    let sample = sample();
    let quick = ["--learner", "network", "--set", "network.epochs=1"];
    quaich(&[&["train", sample.to_str().unwrap()], arguments, &quick].concat())
}

#[test]
fn a_treebank_is_not_replaced_by_its_picture() {
    let folder = tempfile::tempdir().unwrap();
    let treebank = folder.path().join("t.svg");
    fs::copy(sample(), &treebank).unwrap();
    let name = treebank.to_str().unwrap();
    let output = quaich(&["draw", name, "-o", name]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("the output would overwrite the input"));
    assert_eq!(fs::read(&treebank).unwrap(), fs::read(sample()).unwrap());
}

#[test]
fn a_model_that_cannot_be_written_is_not_trained() {
    let folder = tempfile::tempdir().unwrap();
    let treebank = folder.path().join("t.conllu");
    fs::copy(sample(), &treebank).unwrap();
    let treebank = treebank.to_str().unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("t.conllu", folder.path().join("link")).unwrap();
    fs::hard_link(treebank, folder.path().join("same")).unwrap();
    let before = fs::read(treebank).unwrap();
    for (place, code, message) in [
        ("missing/m", 1, "missing/m: "),
        ("", 1, "is a directory, expected a file"),
        ("m.gz", 2, "m.gz: model files are not compressed"),
        ("m.zst", 2, "are not compressed"),
        ("t.conllu", 2, "the output would overwrite the input"),
        ("link", 2, "which is the same file"),
        ("same", 2, "which is the same file"),
    ] {
        let place = folder.path().join(place);
        for inputs in [&[treebank, "--dev", treebank][..], &["-", "--dev", treebank]] {
            let output = quaich(&[&["train"], inputs, &["-o", place.to_str().unwrap()]].concat());
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert!(stderr.contains(message), "{place:?}: {stderr}");
            // Nothing was read.
            assert_eq!(stderr.lines().count(), 1, "{stderr}");
            assert_eq!(output.status.code(), Some(code), "{stderr}");
        }
    }
    #[cfg(unix)]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_quaich"))
            .args(["train", "-", "-o", treebank])
            .stdin(File::open(treebank).unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
    assert_eq!(fs::read(treebank).unwrap(), before);
    assert!(names(folder.path()).iter().all(|name| !name.contains('m') || name == "same"));
}

#[test]
fn messages_that_cannot_be_written_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m");
    let model = model.to_str().unwrap();
    let sample = sample();
    let sample = sample.to_str().unwrap();
    let dumb = |arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Command::new(env!("CARGO_BIN_EXE_quaich"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(writer)
            .status()
            .unwrap()
            .code()
    };
    let train = ["train", sample, "-o", model, "--dev", sample, "--preset", "fast"];
    assert_eq!(dumb(&train), Some(0));
    assert!(quaich(&["info", model]).status.success());
    assert_eq!(dumb(&["convert", sample, "--to", "malttab"]), Some(0));
    assert_eq!(dumb(&["parse", "-m", "missing"]), Some(1));
    assert_eq!(dumb(&["list", "nothing"]), Some(2));
}

#[test]
#[cfg(target_os = "linux")]
fn errors_name_what_could_not_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m");
    let model = model.to_str().unwrap();
    assert!(train(&["-o", model]).status.success());
    let long = folder.path().join("long.conllu");
    fs::write(&long, fs::read_to_string(sample()).unwrap().repeat(30)).unwrap();
    for input in [sample(), long] {
        let input = input.to_str().unwrap();
        for arguments in [
            &["convert", input, "--to", "conllu", "-o", "/dev/full"][..],
            &["parse", "-m", model, input, "-o", "/dev/full"],
            &["draw", input, "-o", "/dev/full"],
        ] {
            let output = quaich(arguments);
            assert_eq!(output.status.code(), Some(1), "{arguments:?}");
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(stderr, "error: /dev/full: No space left on device (os error 28)\n", "{arguments:?}");
        }
    }
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let help = Command::new(env!("CARGO_BIN_EXE_quaich")).arg("--help").stdout(full).output().unwrap();
    assert_eq!(help.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(help.stderr).unwrap(),
        "error: <stdout>: No space left on device (os error 28)\n"
    );
}
