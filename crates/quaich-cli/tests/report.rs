//! The report of `quaich eval --html`, looked at by a browser where there is one.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Browsers that can be asked for what they made of a page.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The page about the sample's test part, with heads and labels wrong in one system, and other ones in another.
fn report(folder: &Path) -> String {
    let gold = root().join("data/sample/test.conllu");
    let text = fs::read_to_string(&gold).unwrap();
    let (one, other, page) =
        (folder.join("one.conllu"), folder.join("two.conllu"), folder.join("report.html"));
    fs::write(&one, text.replace("\tnsubj\t", "\tobj\t")).unwrap();
    fs::write(&other, text.replace("\tdet\t", "\tamod\t").replace("\t_\t_\n", "\t_\t<script>\n")).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_quaich"))
        .args(["eval", "--quiet", "--html"])
        .args([&page, &gold, &one, &other])
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    fs::read_to_string(page).unwrap()
}

/// What a browser makes of a page; none without a browser.
fn shown(page: &Path) -> Option<String> {
    let address = format!("file://{}", page.display());
    let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &address];
    BROWSERS.iter().find_map(|browser| {
        let output = Command::new(browser).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    })
}

/// The text of an element that has this id.
fn element<'p>(page: &'p str, id: &str) -> &'p str {
    let start = page.find(&format!("id=\"{id}\"")).unwrap();
    let text = &page[start..];
    let text = &text[text.find('>').unwrap() + 1..];
    &text[..text.find('<').unwrap()]
}

#[test]
fn a_page_needs_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let page = report(folder.path());
    assert!(page.starts_with("<!doctype html>"));
    for outside in ["src=", "@import", "url(", "<link", "https:"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // Systems are compared by what has precision and recall in it.
    assert!(page.contains("<th>F ") && !page.contains("<th>P "));
    // Data cannot end the element that it is in.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn a_filter_that_is_clicked_changes_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let page = report(folder.path());
    let with = |script: &str| {
        let changed = folder.path().join("changed.html");
        fs::write(&changed, page.replace("</body>", &format!("<script>{script}</script></body>"))).unwrap();
        shown(&changed)
    };
    let Some(before) = with("") else {
        eprintln!("skipped: there is no browser ({})", BROWSERS.join(", "));
        return;
    };
    let cards = |page: &str| page.matches("<article>").count();
    let text = fs::read_to_string(root().join("data/sample/test.conllu")).unwrap();
    let with_label = |label: &str| {
        text.split("\n\n").filter(|sentence| sentence.contains(&format!("\t{label}\t"))).count()
    };
    // At first, what is wrong in the first system.
    assert_eq!(element(&before, "count"), format!("{} sentences", with_label("nsubj")));
    assert_eq!(cards(&before), with_label("nsubj").min(25));
    // The second system.
    let choose = "const view = document.getElementById('view'); view.value = '1'; \
                  view.dispatchEvent(new Event('input', { bubbles: true }));";
    let second = with(choose).unwrap();
    assert_eq!(element(&second, "count"), format!("{} sentences", with_label("det")));
    // A label that is never wrong leaves nothing; a click on its name in the break-down chooses it.
    let nothing = with("document.querySelector('[data-label=punct]').click();").unwrap();
    assert_eq!((element(&nothing, "count"), cards(&nothing)), ("0 sentences", 0));
    // Both kinds of errors are of labels.
    let heads = with(
        "const kind = document.getElementById('kind'); kind.value = 'head'; \
                      kind.dispatchEvent(new Event('input', { bubbles: true }));",
    );
    assert_eq!(element(&heads.unwrap(), "count"), "0 sentences");
    // On paper everything is open, and wide trees are cut into strips; afterwards all is as it was.
    let event = |name: &str| format!("window.dispatchEvent(new Event('{name}'));");
    let drawings = |page: &str| page.matches("<svg").count();
    let printed = with(&event("beforeprint")).unwrap();
    assert_eq!(printed.matches("<details").count(), printed.matches("open=\"\"").count());
    assert!(drawings(&printed) > cards(&printed), "some trees are wider than paper");
    let after = with(&(event("beforeprint") + &event("afterprint"))).unwrap();
    assert_eq!((drawings(&after), after.contains("open=\"\"")), (cards(&before), false));
}
