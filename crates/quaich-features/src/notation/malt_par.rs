//! The `.par` files of `MaltParser` before 1.0: one feature per line, its columns separated by tabs. Trailing columns
//! that are 0 can be omitted.
//!
//! ```text
//! POS     STACK  0  0  0  -1        the tag of the leftmost dependent of the stack's top
//! LEX     INPUT  1  0  0   0  0  3  the last three letters of the token after the next
//! ```
//!
//! | column | |
//! |---|---|
//! | 1 | `LEX` or `FORM`, `LEMMA`, `CPOS`, `POS`, `FEATS`, `DEP`; the longer names of CoNLL-X too |
//! | 2 | `STACK` or `INPUT` |
//! | 3 | the index in the stack or in the input |
//! | 4 | the number of tokens from there in the sentence, backwards if negative |
//! | 5 | the number of heads up from there |
//! | 6 | the number of steps to the leftmost (negative) or rightmost (positive) dependent |
//! | 7 | the number of siblings to the left (negative) or to the right (positive) |
//! | 8 | the number of letters from the end; 0 for all |
//!
//! `FEATS` is the set of its pieces.

use quaich_treebank::{Role, UnknownName};

use super::malt::MaltOptions;
use super::ours::MAX_INDEX;
use crate::address::{Address, Step};
use crate::limits::MAX_STEPS;
use crate::model::{FeatureModel, ModelError};
use crate::separator::Separator;
use crate::template::Template;
use crate::value::{ColumnName, Part, TokenValue, Value};

const FIELDS: [(&str, Role); 11] = [
    ("LEX", Role::Form),
    ("FORM", Role::Form),
    ("LEMMA", Role::Lemma),
    ("CPOS", Role::CoarseTag),
    ("CPOSTAG", Role::CoarseTag),
    ("POS", Role::FineTag),
    ("POSTAG", Role::FineTag),
    ("FEATS", Role::Feats),
    ("DEP", Role::Label),
    ("DEPREL", Role::Label),
    ("DEPENDENCY", Role::Label),
];
const STRUCTURES: [&str; 2] = ["STACK", "INPUT"];
/// The most columns of a line.
const MAX_COLUMNS: usize = 8;

/// Whether a line looks like a line of such a file.
pub(crate) fn is_line(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let field = words.next().is_some_and(|word| FIELDS.iter().any(|(known, _)| *known == word));
    field && words.next().is_some_and(|word| STRUCTURES.contains(&word))
}

/// Parses a file.
pub(crate) fn parse(text: &str, options: MaltOptions) -> Result<FeatureModel, ModelError> {
    let mut templates: Vec<Template> = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if line.trim().is_empty() || line.trim_start().starts_with("--") {
            continue;
        }
        let value = feature(line, options).map_err(|(at, reason)| {
            let column = line.get(..at).unwrap_or(line).chars().count() + 1;
            ModelError::At { line: number, column, reason }
        })?;
        let template = Template { values: vec![value] };
        if !templates.contains(&template) {
            templates.push(template);
        }
    }
    if templates.is_empty() {
        let reason = "found no features, expected one or more".to_owned();
        return Err(ModelError::At { line: 1, column: 1, reason });
    }
    FeatureModel {
        label: templates.clone(),
        transition: templates,
        branches: std::collections::BTreeMap::new(),
    }
    .checked()
}

/// Parses a line; an error has its place.
fn feature(line: &str, options: MaltOptions) -> Result<Value, (usize, String)> {
    let cells: Vec<(usize, &str)> =
        line.split_whitespace().map(|cell| (cell.as_ptr() as usize - line.as_ptr() as usize, cell)).collect();
    let unknown = |what, (at, name): (usize, &str), known: &[&str]| {
        (at, UnknownName::new(what, name, known.iter().copied()).to_string())
    };
    let field = cells.first().copied().unwrap_or((0, ""));
    let Some(&(_, role)) = FIELDS.iter().find(|(known, _)| *known == field.1) else {
        return Err(unknown("field", field, &FIELDS.map(|(name, _)| name)));
    };
    let structure = cells.get(1).copied().unwrap_or((line.len(), ""));
    if !STRUCTURES.contains(&structure.1) {
        return Err(unknown("structure", structure, &STRUCTURES));
    }
    if let Some(&(at, cell)) = cells.get(MAX_COLUMNS) {
        return Err((
            at,
            format!("found `{cell}` as another column, expected at most {MAX_COLUMNS} columns"),
        ));
    }
    let number = |column: usize, least: i8, most: i8| match cells.get(column) {
        None => Ok(0),
        Some(&(at, cell)) => {
            let number = cell.trim_start_matches('+').parse::<i8>().ok();
            let number = number.filter(|number| (least..=most).contains(number));
            number.ok_or_else(|| (at, format!("found `{cell}`, expected a number from {least} to {most}")))
        }
    };
    let far = i8::try_from(MAX_STEPS / 4).unwrap_or(i8::MAX);
    let index = number(2, 0, i8::try_from(MAX_INDEX - 1).unwrap_or(i8::MAX))?.unsigned_abs();
    let mut address = if structure.1 == "STACK" { Address::Stack(index) } else { Address::Buffer(index) };
    let steps = [
        (number(3, -far, far)?, Step::Previous, Step::Next),
        (number(4, 0, far)?, Step::Head, Step::Head),
        (number(5, -far, far)?, Step::Left(0), Step::Right(0)),
        (number(6, -far, far)?, Step::LeftSibling, Step::RightSibling),
    ];
    for (times, negative, positive) in steps {
        let step = if times < 0 { negative } else { positive };
        for _ in 0..times.unsigned_abs() {
            address = address.then(step);
        }
    }
    let n_letters = number(7, 0, i8::MAX)?;
    if role == Role::Label {
        return Ok(Value::Joined(options.nulls, vec![Value::Label(address)]));
    }
    let part = match n_letters {
        0 if role == Role::Feats => Part::Split(Separator::parse(r"\|").map_err(|reason| (0, reason))?),
        0 => Part::Whole,
        letters => Part::Slice { from: Some(-letters), to: None },
    };
    let value = TokenValue { column: ColumnName::Role(role), part };
    Ok(Value::Joined(options.nulls, vec![Value::Token(address, value)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_features() {
        let text = "POS\tSTACK\nPOS\tINPUT\t3\n\n-- a comment\nDEP\tSTACK\t0\t0\t0\t-1\nLEX\tSTACK\t0\t0\t1\nPOS\tSTACK\nFEATS\tINPUT\n\
                    LEX INPUT 1 -2 0 1 -1 3\n";
        let model = parse(text, MaltOptions::default()).unwrap();
        let shown: Vec<String> = model.transition.iter().map(ToString::to_string).collect();
        let expected = [
            "one(s0:t)",
            "one(b3:t)",
            "one(s0.l:d)",
            "one(s0.h:w)",
            "one(b0:f{\\|})",
            "one(b1-1-1.r.ls:w[-3:])",
        ];
        assert_eq!(shown, expected);
        assert_eq!(model.label, model.transition);
    }

    #[test]
    fn mistakes_are_found_in_the_file() {
        let check = |text: &str, expected: &str| {
            let error = parse(text, MaltOptions::default()).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        };
        check("POS\tSTACK\nPSO\tSTACK", "2:1: unknown field `PSO`; known: POS, ");
        check("POS\tSTAK", "1:5: unknown structure `STAK`; known: STACK, INPUT");
        check("POS", "1:4: unknown structure ``; known: ");
        check("POS\tSTACK\tx", "1:11: found `x`, expected a number from 0 to 15");
        check("POS\tSTACK\t0\t0\t-1", "1:15: found `-1`, expected a number from 0 to 8");
        check("POS STACK 0 0 0 0 0 0 0", "1:23: found `0` as another column, expected at most 8 columns");
        check("\n", "1:1: found no features, expected one or more");
    }
}
