//! `quaich features`: built-in feature models and those in files.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use quaich::features::{FEATURE_MODELS, FeatureModel, MaltOptions, Notation, Template};
use quaich::treebank::counted;
use quaich::treebank::visible::is_obeyed;
use serde::Serialize;

use crate::files_used::FilesUsed;
use crate::{feature_models, output, side_files};

/// List, show and check feature models
///
/// Files are in Quaich's notation (TOML), in MaltParser's XML, or in the `.par` format of its first versions.
#[derive(Args)]
#[command(after_help = "Examples:
  quaich features list
  quaich features show malt:nivreeager
  quaich features check mine.toml NivreEager.xml")]
pub(crate) struct Features {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List the built-in feature models
    List {
        /// Print JSON: an array of objects
        #[arg(long)]
        json: bool,
    },
    /// Print a feature model in Quaich's notation
    Show {
        /// A name from `quaich features list`, or a file
        #[arg(value_name = "NAME")]
        name: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Check feature model files and show errors with their positions
    Check {
        /// The files
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Print JSON: an array of objects
        #[arg(long)]
        json: bool,
    },
}

/// An entry of the list.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    about: &'static str,
    transition: usize,
    label: usize,
}

/// A model with all its templates.
#[derive(Serialize)]
struct Shown {
    name: String,
    transition: Vec<String>,
    label: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    branch: BTreeMap<String, Vec<String>>,
}

/// A valid feature model file.
#[derive(Serialize)]
struct Checked {
    file: String,
    notation: &'static str,
    transition: usize,
    label: usize,
    columns: Vec<String>,
}

impl Features {
    /// The files to read and write.
    pub(crate) fn files(&self) -> FilesUsed {
        match &self.what {
            What::List { .. } => FilesUsed::default(),
            What::Show { name, .. } => FilesUsed::default().reading(feature_models::file(name)),
            What::Check { files, .. } => FilesUsed::default().reading(files),
        }
    }

    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List { json } => list(json),
            What::Show { name, json } => show(name, json),
            What::Check { files, json } => check(&files, json),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

fn list(json: bool) -> anyhow::Result<()> {
    let entries: Vec<Entry> = FEATURE_MODELS
        .iter()
        .map(|named| {
            let model = named.model();
            let (transition, label) = (model.transition.len(), model.label.len());
            Entry { name: named.name, about: named.about, transition, label }
        })
        .collect();
    if json {
        return output::json(&entries);
    }
    let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for Entry { name, about, transition, label } in &entries {
        writeln!(text, "{name:width$}  {about} ({transition} for transitions, {label} for labels)")?;
    }
    output::text(&text)
}

fn show(name: String, json: bool) -> anyhow::Result<()> {
    let model = feature_models::by_name_or_file(&name)?;
    let shown = Shown {
        name,
        transition: written(&model.transition),
        label: written(&model.label),
        branch: model.branches.iter().map(|(kind, list)| (kind.clone(), written(list))).collect(),
    };
    if json {
        return output::json(&shown);
    }
    let mut text = toml_list("transition", &shown.transition);
    text.push('\n');
    text.push_str(&toml_list("label", &shown.label));
    if !shown.branch.is_empty() {
        text.push_str("\n[branch]\n");
        for (kind, list) in &shown.branch {
            text.push_str(&toml_list(kind, list));
        }
    }
    let undefined = model.undefined();
    if !undefined.is_empty() {
        text.push_str("\n[define]\n");
        for name in undefined {
            writeln!(text, "{name} = 'auto'")?;
        }
    }
    output::text(&text)
}

fn written(templates: &[Template]) -> Vec<String> {
    templates.iter().map(ToString::to_string).collect()
}

/// A TOML list, one template per line.
fn toml_list(name: &str, templates: &[String]) -> String {
    let mut text = format!("{name} = [\n");
    for template in templates {
        // Between single quotes nothing is escaped.
        let quoted = if template.contains('\'') || template.contains(is_obeyed) {
            basic_string(template)
        } else {
            format!("'{template}'")
        };
        text.extend(["  ", &quoted, ",\n"]);
    }
    text.push_str("]\n");
    text
}

/// A TOML string between double quotes.
fn basic_string(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '\\' | '"' => format!("\\{c}"),
        c if is_obeyed(c) => format!("\\U{:08x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

fn check(files: &[PathBuf], json: bool) -> anyhow::Result<()> {
    let mut checked = Vec::new();
    for path in files {
        checked.push(check_file(path)?);
    }
    if json {
        return output::json(&checked);
    }
    let mut text = String::new();
    for Checked { file, notation, transition, label, columns } in &checked {
        let columns = if columns.is_empty() { "none".to_owned() } else { columns.join(" ") };
        let transition = counted(*transition as u64, "template");
        writeln!(
            text,
            "{file}: {notation}, {transition} for transitions, {label} for labels; columns: {columns}"
        )?;
    }
    output::text(&text)
}

fn check_file(path: &Path) -> anyhow::Result<Checked> {
    let file = path.display().to_string();
    let text = side_files::read(path)?;
    let notation = Notation::of(path, &text);
    let model: FeatureModel = notation
        .parse(&text, MaltOptions::default())
        .map_err(|error| feature_models::in_file(&file, error))?;
    let mut columns: Vec<String> = Vec::new();
    for value in model.token_values() {
        let column = value.column.to_string();
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let (transition, label) = (model.transition.len(), model.label.len());
    Ok(Checked { file, notation: notation.name(), transition, label, columns })
}
