//! `MaltParser`'s feature models in XML.
//!
//! ```xml
//! <featuremodels>
//!   <featuremodel name="small">
//!     <feature>InputColumn(POSTAG,Stack[0])</feature>
//!     <submodel name="A.DEPREL">
//!       <feature>OutputColumn(DEPREL,Stack[0])</feature>
//!     </submodel>
//!   </featuremodel>
//! </featuremodels>
//! ```
//!
//! Every feature occurs once, sorted by text. A submodel is for one decision: `T.TRANS` chooses the transition,
//! `A.DEPREL` the label, `RA.A.DEPREL` the label after one kind of transition. A decision without a submodel uses the
//! features outside all submodels, or the first submodel.

use std::collections::BTreeMap;

use quaich_treebank::UnknownName;
use roxmltree::{Document, Node};

use super::malt::{self, Input, MaltOptions};
use crate::model::{FeatureModel, ModelError};
use crate::template::Template;

/// Features by text.
type Features = BTreeMap<String, Template>;

/// Parses a file.
pub(crate) fn parse(text: &str, options: MaltOptions) -> Result<FeatureModel, ModelError> {
    let text = text.trim_start_matches('\u{feff}');
    let document = Document::parse(text).map_err(|error| {
        let place = error.pos();
        wrong(place.row, place.col, format!("not well-formed XML: {error}"))
    })?;
    let options = match options.input {
        Input::Auto if text.contains("Lookahead[") => MaltOptions { input: Input::SwappedBack, ..options },
        _ => options,
    };
    let root = document.root_element();
    named(root, "featuremodels")?;
    let model = children(root).next();
    let Some(model) = model else {
        return Err(at(root, 0, "found no `featuremodel`, expected one".to_owned()));
    };
    // MaltParser uses only the first.
    named(model, "featuremodel")?;
    let mut main = Features::new();
    let mut submodels: Vec<(&str, Features)> = Vec::new();
    for child in children(model) {
        if child.has_tag_name("submodel") {
            let name = child.attribute("name").unwrap_or_default();
            let mut features = Features::new();
            for feature in children(child) {
                add(feature, &["feature"], options, &mut features)?;
            }
            submodels.push((name, features));
        } else {
            add(child, &["feature", "submodel"], options, &mut main)?;
        }
    }
    let list = |features: &Features| features.values().cloned().collect::<Vec<Template>>();
    let by_name =
        |wanted: &str| submodels.iter().find(|(name, _)| *name == wanted).map(|(_, features)| list(features));
    let main = match submodels.first() {
        Some((_, first)) if main.is_empty() => list(first),
        _ => list(&main),
    };
    let branches = submodels.iter().filter_map(|(name, features)| {
        let kind = name.strip_suffix(".A.DEPREL")?;
        Some((kind.to_owned(), list(features)))
    });
    let transition = by_name("T.TRANS").unwrap_or_else(|| main.clone());
    if transition.is_empty() {
        return Err(at(model, 0, "found no features, expected one or more".to_owned()));
    }
    FeatureModel { transition, label: by_name("A.DEPREL").unwrap_or(main), branches: branches.collect() }
        .checked()
}

/// Parses a feature.
fn add(
    node: Node<'_, '_>,
    known: &[&str],
    options: MaltOptions,
    features: &mut Features,
) -> Result<(), ModelError> {
    if node.tag_name().name() != "feature" {
        let error = UnknownName::new("element", node.tag_name().name(), known.iter().copied());
        return Err(at(node, 0, error.to_string()));
    }
    let Some(content) = node.children().find(Node::is_text) else {
        return Err(at(node, 0, "found an empty `feature`, expected a function".to_owned()));
    };
    let text = content.text().unwrap_or_default();
    let value = malt::feature(text, options).map_err(|error| at(content, error.at, error.reason))?;
    let stripped = text.split_whitespace().collect::<String>();
    features.insert(stripped, Template { values: vec![value] });
    Ok(())
}

fn children<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

fn named(node: Node<'_, '_>, expected: &'static str) -> Result<(), ModelError> {
    if node.has_tag_name(expected) {
        return Ok(());
    }
    Err(at(node, 0, format!("found `{}`, expected `{expected}`", node.tag_name().name())))
}

/// Returns an error at a place in a node.
fn at(node: Node<'_, '_>, offset: usize, reason: String) -> ModelError {
    let place = node.document().text_pos_at(node.range().start + offset);
    wrong(place.row, place.col, reason)
}

fn wrong(line: u32, column: u32, reason: String) -> ModelError {
    ModelError::At { line: line as usize, column: column as usize, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(templates: &[Template]) -> Vec<String> {
        templates.iter().map(ToString::to_string).collect()
    }

    fn read(features: &str) -> Result<FeatureModel, String> {
        let text = format!(
            "<featuremodels>\n<featuremodel name='x'>\n{features}\n</featuremodel>\n</featuremodels>"
        );
        parse(&text, MaltOptions::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn features_come_once_in_the_order_of_their_texts() {
        let model = read(
            "<feature>OutputColumn(DEPREL, Stack[0])</feature> <!-- <feature>x</feature> -->
             <feature>InputColumn(FORM,Stack[0])</feature><feature>OutputColumn(DEPREL,Stack[0])</feature>",
        )
        .unwrap();
        assert_eq!(shown(&model.transition), ["one(s0:w)", "one(s0:d)"]);
        assert_eq!(model.label, model.transition);
    }

    #[test]
    fn submodels_are_for_decisions() {
        let form = |name: &str, address: &str| {
            format!("<submodel name='{name}'><feature>InputColumn(FORM,{address})</feature></submodel>")
        };
        let all =
            [form("T.TRANS", "Stack[0]"), form("A.DEPREL", "Stack[1]"), form("RA.A.DEPREL", "Stack[2]")];
        let model = read(&all.concat()).unwrap();
        assert_eq!(
            (shown(&model.transition), shown(&model.label)),
            (vec!["one(s0:w)".to_owned()], vec!["one(s1:w)".to_owned()])
        );
        assert_eq!(shown(&model.branches["RA"]), ["one(s2:w)"]);
        let model = read(&form("T.TRANS", "Stack[0]")).unwrap();
        assert_eq!(shown(&model.label), ["one(s0:w)"]);
    }

    #[test]
    fn lookahead_tells_what_input_is() {
        let model = read(
            "<feature>InputColumn(FORM,Input[0])</feature><feature>InputColumn(FORM,Lookahead[0])</feature>",
        );
        assert_eq!(shown(&model.unwrap().transition), ["one(u0:w)", "one(k0:w)"]);
    }

    #[test]
    fn mistakes_are_found_in_the_file() {
        let check = |features: &str, expected: &str| {
            let error = read(features).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        };
        check("<feature>InputColumn(FORM,Stak[0])</feature>", "3:27: unknown address `Stak`; known: Stack, ");
        check("<featur>x</featur>", "3:1: unknown element `featur`; known: feature, submodel");
        check("<feature/>", "3:1: found an empty `feature`, expected a function");
        check("", "2:1: found no features, expected one or more");
        check("<feature>", "4:");
        let error = |text: &str| parse(text, MaltOptions::default()).unwrap_err().to_string();
        assert_eq!(error("<x/>"), "1:1: found `x`, expected `featuremodels`");
        assert_eq!(error("<featuremodels/>"), "1:1: found no `featuremodel`, expected one");
        assert!(error("").starts_with("1:1: not well-formed XML"));
        assert!(error(&"<a>".repeat(100_000)).contains("not well-formed XML"));
    }
}
