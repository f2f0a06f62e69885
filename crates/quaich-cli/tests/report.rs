//! The report of `quaich eval --html`: its elements, its data and, if a browser is installed, its behaviour.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use quaich_testkit::skipped;

/// Browsers that can print the document of a page.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The report for the test set of the sample, with different errors in two systems.
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

/// The document of a page in a browser; none without a browser.
fn shown(page: &Path) -> Option<String> {
    let address = format!("file://{}", page.display());
    let arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &address];
    BROWSERS.iter().find_map(|browser| {
        let output = Command::new(browser).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    })
}

/// The text of the element with this id.
fn element<'p>(page: &'p str, id: &str) -> &'p str {
    let start = page.find(&format!("id=\"{id}\"")).unwrap();
    let text = &page[start..];
    let text = &text[text.find('>').unwrap() + 1..];
    &text[..text.find('<').unwrap()]
}

#[test]
fn a_page_is_self_contained() {
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

/// The elements of a page, as names and attributes; an error if one is not closed, or closed out of order.
fn elements(page: &str) -> Result<Vec<(&str, &str)>, String> {
    const VOID: [&str; 6] = ["meta", "br", "hr", "img", "input", "link"];
    let (mut elements, mut open, mut rest) = (Vec::new(), Vec::new(), page);
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let end = rest.find('>').ok_or("a tag has no end")?;
        let (tag, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let last: Option<&str> = open.pop();
            if last != Some(name) {
                return Err(format!("found the end of {name}, expected that of {last:?}"));
            }
        } else if !tag.starts_with('!') {
            let (name, attributes) = tag.split_once([' ', '\n']).unwrap_or((tag, ""));
            elements.push((name, attributes));
            if matches!(name, "script" | "style") {
                // Its content has no tags.
                let end = rest.find(&format!("</{name}>")).ok_or_else(|| format!("{name} is not closed"))?;
                rest = &rest[end..];
            }
            if !VOID.contains(&name) {
                open.push(name);
            }
        }
    }
    if open.is_empty() { Ok(elements) } else { Err(format!("{open:?} are not closed")) }
}

/// The parts of `text` between `start` and `end`.
fn between<'t>(text: &'t str, start: &'t str, end: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(start).skip(1).filter_map(move |part| part.split(end).next())
}

#[test]
fn a_page_has_the_elements_of_its_script() {
    let folder = tempfile::tempdir().unwrap();
    let page = report(folder.path());
    let elements = elements(&page).unwrap();
    let mut ids: Vec<&str> =
        elements.iter().flat_map(|(_, attributes)| between(attributes, "id=\"", "\"")).collect();
    let n_ids = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), n_ids, "ids are unique: {ids:?}");
    let program = between(&page, "<script>", "</script>").next().unwrap();
    let wanted: Vec<&str> =
        between(program, "at('", "')").chain(between(program, "getElementById('", "')")).collect();
    assert!(wanted.len() > 10, "{wanted:?}");
    for id in wanted {
        assert!(ids.contains(&id), "no element `{id}`");
    }
    // The script knows every option of the filter.
    let choices: Vec<&str> = between(&page, "id=\"order\"", "</select>")
        .flat_map(|part| between(part, "value=\"", "\""))
        .collect();
    assert!(!choices.is_empty());
    for choice in choices {
        assert!(program.contains(&format!(" {choice}: (a, b) =>")), "{choice}");
    }
}

#[test]
fn the_data_of_a_page_has_every_error() {
    let folder = tempfile::tempdir().unwrap();
    let page = report(folder.path());
    let data = between(&page, "id=\"data\">", "</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let sentences = data["sentences"].as_array().unwrap();
    let text = fs::read_to_string(root().join("data/sample/test.conllu")).unwrap();
    for (system, label) in [(0, "nsubj"), (1, "det")] {
        let differ = |sentence: &serde_json::Value| {
            let (gold, found) = (sentence["gold"].as_array().unwrap(), &sentence["systems"][system]);
            gold.iter().zip(found.as_array().unwrap()).filter(|(gold, found)| gold != found).count()
        };
        let n_wrong: usize = sentences.iter().map(differ).sum();
        assert_eq!(n_wrong, text.matches(&format!("\t{label}\t")).count(), "{label}");
        for sentence in sentences {
            assert_eq!(sentence["errors"][system], differ(sentence), "{sentence}");
        }
    }
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
        skipped(&format!("no browser is installed: {}", BROWSERS.join(", ")));
        return;
    };
    let cards = |page: &str| page.matches("<article>").count();
    let text = fs::read_to_string(root().join("data/sample/test.conllu")).unwrap();
    let with_label = |label: &str| {
        text.split("\n\n").filter(|sentence| sentence.contains(&format!("\t{label}\t"))).count()
    };
    // At first, the errors of the first system.
    assert_eq!(element(&before, "count"), format!("{} sentences", with_label("nsubj")));
    assert_eq!(cards(&before), with_label("nsubj").min(25));
    // The second system.
    let choose = "const view = document.getElementById('view'); view.value = '1'; \
                  view.dispatchEvent(new Event('input', { bubbles: true }));";
    let second = with(choose).unwrap();
    assert_eq!(element(&second, "count"), format!("{} sentences", with_label("det")));
    // A click on a label in the breakdown selects it; this one is never wrong.
    let nothing = with("document.querySelector('[data-label=punct]').click();").unwrap();
    assert_eq!((element(&nothing, "count"), cards(&nothing)), ("0 sentences", 0));
    // All errors are label errors.
    let heads = with(
        "const kind = document.getElementById('kind'); kind.value = 'head'; \
                      kind.dispatchEvent(new Event('input', { bubbles: true }));",
    );
    assert_eq!(element(&heads.unwrap(), "count"), "0 sentences");
    // For printing, everything is open and wide trees are split into strips; afterwards all is as before.
    let event = |name: &str| format!("window.dispatchEvent(new Event('{name}'));");
    let drawings = |page: &str| page.matches("<svg").count();
    let printed = with(&event("beforeprint")).unwrap();
    assert_eq!(printed.matches("<details").count(), printed.matches("open=\"\"").count());
    assert!(drawings(&printed) > cards(&printed), "some trees are wider than paper");
    let after = with(&(event("beforeprint") + &event("afterprint"))).unwrap();
    assert_eq!((drawings(&after), after.contains("open=\"\"")), (cards(&before), false));
}
