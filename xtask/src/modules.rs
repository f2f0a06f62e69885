//! Checks that the top-level modules of the parser crate do not import each other in a cycle, and that `ARCHITECTURE.md` lists them in an
//! order in which each imports only those before it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The imported modules of each module.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The sources of the crate that is checked.
const SOURCES: &str = "crates/quaich-parser/src";

/// The document with the table of modules.
const DOCUMENT: &str = "ARCHITECTURE.md";

/// The heading of the section with the table.
const HEADING: &str = "## crates/quaich-parser";

/// Checks the modules of the parser; the error names a cycle, or a module that is missing or too early in the table.
pub(crate) fn check() -> Result<(), String> {
    let mut imports = Imports::new();
    let folder = Path::new(SOURCES);
    read(folder, folder, &mut imports).map_err(|error| format!("{SOURCES}: {error}"))?;
    if let Some(modules) = cycle(&imports) {
        return Err(format!("{SOURCES}: modules import each other: {}", modules.join(" → ")));
    }
    let document = fs::read_to_string(DOCUMENT).map_err(|error| format!("{DOCUMENT}: {error}"))?;
    check_order(&imports, &table(&document)).map_err(|message| format!("{DOCUMENT}: {message}"))
}

/// Collects the imports of all files in a folder.
fn read(root: &Path, folder: &Path, imports: &mut Imports) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(root, &path, imports)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            let within = path.strip_prefix(root).unwrap_or(&path).with_extension("");
            let module = within.iter().next().and_then(|name| name.to_str()).unwrap_or_default();
            if module != "lib" {
                let imported = imported(&fs::read_to_string(&path)?);
                let own = imports.entry(module.to_owned()).or_default();
                own.extend(imported.into_iter().filter(|other| other != module));
            }
        }
    }
    Ok(())
}

/// Returns the modules that a source imports with `crate::…`, ignoring comments and tests.
fn imported(text: &str) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let mut found = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        let list = match after.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default(),
            None => after.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default(),
        };
        for item in list.split(',').map(str::trim) {
            let name = item.split("::").next().unwrap_or_default();
            if name.starts_with(char::is_lowercase) {
                found.insert(name.to_owned());
            }
        }
    }
    found
}

/// Returns the modules in the table of the section, in order.
fn table(document: &str) -> Vec<&str> {
    let section = document.split_once(HEADING).map_or("", |(_, section)| section);
    let rows = section.lines().take_while(|line| !line.starts_with("###"));
    let cells = rows.filter_map(|line| line.strip_prefix("| `")?.split('|').next());
    let names = cells.flat_map(|cell| cell.split(", "));
    names.map(|name| name.trim().trim_matches('`').trim_end_matches(".rs").trim_end_matches('/')).collect()
}

/// Checks that the table has every module, after the modules that it imports.
fn check_order(imports: &Imports, table: &[&str]) -> Result<(), String> {
    let place = |module: &str| table.iter().position(|name| *name == module);
    for (module, imported) in imports {
        let own = place(module).ok_or_else(|| format!("the table of modules does not have `{module}`"))?;
        if let Some(late) = imported.iter().find(|other| place(other) > Some(own)) {
            return Err(format!("`{module}` imports `{late}`, which is after it in the table of modules"));
        }
    }
    match table.iter().find(|name| !imports.contains_key(**name)) {
        None => Ok(()),
        Some(name) => Err(format!("the table of modules has `{name}`, which does not exist")),
    }
}

/// Returns a cycle: each module imports the next one.
fn cycle(imports: &Imports) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    imports.keys().find_map(|module| visit(module, imports, &mut Vec::new(), &mut done))
}

fn visit<'i>(
    module: &'i str,
    imports: &'i Imports,
    path: &mut Vec<&'i str>,
    done: &mut BTreeSet<&'i str>,
) -> Option<Vec<String>> {
    if let Some(start) = path.iter().position(|before| *before == module) {
        return Some(path[start..].iter().chain([&module]).map(|&name| name.to_owned()).collect());
    }
    if done.contains(module) {
        return None;
    }
    path.push(module);
    let found = imports.get(module)?.iter().find_map(|other| visit(other, imports, path, done));
    path.pop();
    done.insert(module);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found() {
        let text = "use crate::a::{B, C};\nuse crate::{d, e::F};\n// crate::g\nfn f() { crate::h::i() }\nuse crate::J;\n#[cfg(test)]\nuse crate::k;";
        let found: Vec<String> = imported(text).into_iter().collect();
        assert_eq!(found, ["a", "d", "e", "h"]);
    }

    fn imports(list: &[(&str, &[&str])]) -> Imports {
        let names = |others: &[&str]| others.iter().map(|&name| name.to_owned()).collect();
        list.iter().map(|(name, others)| ((*name).to_owned(), names(others))).collect()
    }

    #[test]
    fn the_table_is_in_the_order_of_imports() {
        let document = "# A\n| `x.rs` | another table |\n## crates/quaich-parser: b\n\n| file | concept |\n|---|---|\n| `a.rs`, `b/` | two |\n| `c.rs` | with `d.rs` |\n### E\n| `e.rs` | e |\n";
        let table = table(document);
        assert_eq!(table, ["a", "b", "c"]);
        let check = |list| check_order(&imports(list), &table);
        assert_eq!(check(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]), Ok(()));
        for (list, expected) in [
            (&[("a", &["b"][..]), ("b", &[]), ("c", &[])][..], "`a` imports `b`"),
            (&[("a", &[]), ("b", &[]), ("c", &[]), ("d", &[])], "does not have `d`"),
            (&[("a", &[]), ("b", &[])], "has `c`"),
        ] {
            assert!(check(list).is_err_and(|message| message.contains(expected)), "{expected}");
        }
    }

    #[test]
    fn a_cycle_is_found() {
        assert_eq!(cycle(&imports(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])), None);
        let found = cycle(&imports(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])])).unwrap();
        assert_eq!(found, ["b", "c", "b"]);
    }
}
