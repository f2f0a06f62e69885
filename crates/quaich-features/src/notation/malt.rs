//! `MaltParser`'s feature functions: `Merge(InputColumn(POSTAG,Stack[0]),OutputColumn(DEPREL,ldep(Input[0])))`. Its XML
//! files have one feature per element.
//!
//! | function | value |
//! |---|---|
//! | `InputColumn(C,a)` | a cell |
//! | `OutputColumn(DEPREL,a)` | the label of the arc into a node |
//! | `OutputArc(HEAD,a,b)` | which of two nodes is the head of the other |
//! | `Exists(a)` | whether there is a node |
//! | `Distance(a,b,0\|1\|2)`, `NumOf(a,ldeps,0\|1\|2)` | a distance, a number of dependents, in classes |
//! | `Split(f,regex)`, `Prefix(f,n)`, `Suffix(f,n)` | pieces and ends of a cell |
//! | `Merge(f,g)`, `Merge3(f,g,h)` | several values joined |
//!
//! Addresses are `Stack[0]`, `Input[0]` and similar, and `head`, `ldep`, `rdep`, `rdep2`, `lsib`, `rsib`, `pred`, `succ`, `anc`, `panc`,
//! `ldesc`, `rdesc`, `pldesc` and `prdesc` of addresses.

use quaich_treebank::{Role, UnknownName};

use crate::address::{Address, Step};
use crate::bounds::Bounds;
use crate::limits::MAX_STEPS;
use crate::notation::ours::MAX_INDEX;
use crate::nulls::Nulls;
use crate::separator::Separator;
use crate::value::{ColumnName, Dependents, MAX_DEPTH, Part, TokenValue, Value};

/// The meaning of `Input`, which depends on the parsing algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Input {
    /// The buffer, unless the features use `Lookahead`, which only the stack systems have.
    #[default]
    Auto,
    /// The buffer.
    Buffer,
    /// The nodes that SWAP put back in the buffer, as in the stack systems.
    SwappedBack,
}

/// Options for parsing features.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MaltOptions {
    /// `-nv`: the treatment of null values.
    pub nulls: Nulls,
    /// The meaning of `Input`.
    pub input: Input,
}

/// An error in a feature, and its byte offset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FeatureError {
    pub(crate) at: usize,
    pub(crate) reason: String,
}

type Result<T> = std::result::Result<T, FeatureError>;

const FUNCTIONS: [&str; 11] = [
    "InputColumn",
    "OutputColumn",
    "OutputArc",
    "Exists",
    "Distance",
    "NumOf",
    "Split",
    "Prefix",
    "Suffix",
    "Merge",
    "Merge3",
];
/// Unsupported functions of `MaltParser`: tables of its pseudo-projective marks and of propagated values, and arcs of
/// the input.
const WITHOUT_MEANING: [&str; 4] = ["InputTable", "OutputTable", "InputArc", "InputArcDir"];
const STRUCTURES: [&str; 9] = [
    "Stack",
    "Input",
    "Lookahead",
    "Left",
    "Right",
    "LeftContext",
    "RightContext",
    "ActiveStack",
    "InactiveStack",
];
const STEPS: [(&str, &[Step]); 14] = [
    ("head", &[Step::Head]),
    ("ldep", &[Step::Left(0)]),
    ("rdep", &[Step::Right(0)]),
    ("rdep2", &[Step::Token, Step::Right(0)]),
    ("lsib", &[Step::LeftSibling]),
    ("rsib", &[Step::RightSibling]),
    ("pred", &[Step::Previous]),
    ("succ", &[Step::Next]),
    ("anc", &[Step::Topmost]),
    ("panc", &[Step::ProperTopmost]),
    ("ldesc", &[Step::Token, Step::LeftDescendant]),
    ("rdesc", &[Step::Token, Step::RightDescendant]),
    ("pldesc", &[Step::Token, Step::ProperLeftDescendant]),
    ("prdesc", &[Step::Token, Step::ProperRightDescendant]),
];
/// The columns that have a role in every format.
const COLUMNS: [(&str, Role); 7] = [
    ("FORM", Role::Form),
    ("LEMMA", Role::Lemma),
    ("CPOSTAG", Role::CoarseTag),
    ("POSTAG", Role::FineTag),
    ("UPOSTAG", Role::CoarseTag),
    ("XPOSTAG", Role::FineTag),
    ("FEATS", Role::Feats),
];

/// Parses a feature.
pub(crate) fn feature(text: &str, options: MaltOptions) -> Result<Value> {
    let mut parser = Parser { text, at: 0, options };
    let value = parser.value(MAX_DEPTH)?;
    parser.end()?;
    let items = match value {
        Value::Joined(_, items) => items,
        single => vec![single],
    };
    Value::joined(options.nulls, items).map_err(|reason| FeatureError { at: 0, reason })
}

/// Parses an address.
pub fn address(text: &str, options: MaltOptions) -> std::result::Result<Address, String> {
    let mut parser = Parser { text, at: 0, options };
    let address = parser.address().and_then(|address| parser.end().map(|()| address));
    address.map_err(|error| error.reason)
}

/// Returns the column with this name in `MaltParser`.
pub fn column(name: &str) -> ColumnName {
    match COLUMNS.iter().find(|(known, _)| *known == name) {
        Some(&(_, role)) => ColumnName::Role(role),
        None => ColumnName::Named(name.to_owned()),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    options: MaltOptions,
}

/// The characters that end a name or an argument in `MaltParser`.
const PUNCTUATION: [char; 5] = ['(', ')', '[', ']', ','];

impl<'a> Parser<'a> {
    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn wrong<T>(&self, at: usize, reason: impl Into<String>) -> Result<T> {
        let _ = self;
        Err(FeatureError { at, reason: reason.into() })
    }

    /// Returns the text up to the next parenthesis, bracket or comma, and its start.
    fn word(&mut self) -> (usize, &'a str) {
        self.skip_blanks();
        let start = self.at;
        let rest = &self.text[start..];
        let word = &rest[..rest.find(PUNCTUATION).unwrap_or(rest.len())];
        self.at += word.len();
        (start, word.trim_end())
    }

    fn expect(&mut self, character: char) -> Result<()> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        if rest.starts_with(character) {
            self.at += character.len_utf8();
            return Ok(());
        }
        let found = rest.chars().next().map_or_else(|| "the end".to_owned(), |found| format!("`{found}`"));
        self.wrong(self.at, format!("found {found}, expected `{character}`"))
    }

    fn end(&mut self) -> Result<()> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return Ok(());
        }
        self.wrong(self.at, format!("found `{rest}` after the feature, expected its end"))
    }

    fn value(&mut self, depth: usize) -> Result<Value> {
        let (start, name) = self.word();
        let Some(depth) = depth.checked_sub(1) else {
            return self
                .wrong(start, format!("found functions nested deeper than {MAX_DEPTH}, expected fewer"));
        };
        if WITHOUT_MEANING.contains(&name) {
            let reason = "which is not supported: it uses marks, propagated values or arcs of the input";
            return self.wrong(start, format!("found `{name}`, {reason}"));
        }
        if !FUNCTIONS.contains(&name) {
            return self.wrong(start, UnknownName::new("function", name, FUNCTIONS).to_string());
        }
        self.expect('(')?;
        let value = match name {
            "InputColumn" => {
                let (start, name) = self.word();
                if name.is_empty() {
                    return self.wrong(start, "found no name of a column, expected one");
                }
                self.expect(',')?;
                Value::Token(self.address()?, TokenValue { column: column(name), part: Part::Whole })
            }
            "OutputColumn" => {
                self.keyword("DEPREL", "column of labels")?;
                self.expect(',')?;
                Value::Label(self.address()?)
            }
            "OutputArc" => {
                // Every column here is about heads.
                self.word();
                self.expect(',')?;
                let a = self.address()?;
                self.expect(',')?;
                Value::Arc(a, self.address()?)
            }
            "Exists" => Value::Exists(self.address()?),
            "Distance" => {
                let a = self.address()?;
                self.expect(',')?;
                let b = self.address()?;
                self.expect(',')?;
                Value::Apart(a, b, self.bounds()?)
            }
            "NumOf" => {
                let at = self.address()?;
                self.expect(',')?;
                let (start, name) = self.word();
                let Some(which) = Dependents::ALL.into_iter().find(|which| which.name() == name) else {
                    let known = Dependents::ALL.map(Dependents::name);
                    return self
                        .wrong(start, UnknownName::new("kind of dependents", name, known).to_string());
                };
                self.expect(',')?;
                Value::Dependents(at, which, self.bounds()?)
            }
            "Split" => self.split(depth)?,
            "Prefix" | "Suffix" => self.affix(name, depth)?,
            _ => self.merge(if name == "Merge" { 2 } else { 3 }, depth)?,
        };
        self.expect(')')?;
        Ok(value)
    }

    fn merge(&mut self, n: usize, depth: usize) -> Result<Value> {
        let mut items = Vec::with_capacity(n);
        for i in 0..n {
            if i > 0 {
                self.expect(',')?;
            }
            items.push(self.value(depth)?);
        }
        Ok(Value::Joined(self.options.nulls, items))
    }

    /// Parses a cell as the argument of a function.
    fn cell(&mut self, of: &str, depth: usize) -> Result<(Address, ColumnName)> {
        self.skip_blanks();
        let start = self.at;
        match self.value(depth)? {
            Value::Token(address, TokenValue { column, part: Part::Whole }) => Ok((address, column)),
            _ => self.wrong(start, format!("found another value in `{of}`, expected `InputColumn`")),
        }
    }

    fn split(&mut self, depth: usize) -> Result<Value> {
        let (address, column) = self.cell("Split", depth)?;
        self.expect(',')?;
        let (start, written) = self.word();
        match Separator::parse(written) {
            Ok(separator) => Ok(Value::Token(address, TokenValue { column, part: Part::Split(separator) })),
            Err(reason) => self.wrong(start, reason),
        }
    }

    fn affix(&mut self, function: &str, depth: usize) -> Result<Value> {
        let (address, column) = self.cell(function, depth)?;
        self.expect(',')?;
        let (start, length) = self.word();
        let Ok(length) = length.parse::<i8>().map(|length| length.max(-1)) else {
            return self.wrong(start, format!("found `{length}`, expected a number of characters up to 127"));
        };
        let part = match length {
            -1 => return self.wrong(start, "found a negative length, expected 0 or more"),
            0 => Part::Whole,
            length if function == "Prefix" => Part::Slice { from: None, to: Some(length) },
            length => Part::Slice { from: Some(-length), to: None },
        };
        Ok(Value::Token(address, TokenValue { column, part }))
    }

    fn keyword(&mut self, keyword: &str, what: &'static str) -> Result<()> {
        let (start, word) = self.word();
        if word == keyword {
            return Ok(());
        }
        self.wrong(start, UnknownName::new(what, word, [keyword]).to_string())
    }

    fn bounds(&mut self) -> Result<Bounds> {
        let (start, written) = self.word();
        Bounds::parse(written).or_else(|reason| self.wrong(start, reason))
    }

    fn address(&mut self) -> Result<Address> {
        // From the outside inwards: the last step comes first.
        let mut functions: Vec<&[Step]> = Vec::new();
        let (mut start, mut name) = self.word();
        while let Some((_, steps)) = STEPS.iter().find(|(known, _)| *known == name) {
            functions.push(steps);
            if functions.iter().map(|steps| steps.len()).sum::<usize>() > MAX_STEPS {
                return self.wrong(
                    start,
                    format!("found an address of more than {MAX_STEPS} steps, expected fewer"),
                );
            }
            self.expect('(')?;
            (start, name) = self.word();
        }
        let mut address = self.structure(start, name)?;
        for steps in functions.iter().rev() {
            self.expect(')')?;
            address = steps.iter().fold(address, |address, &step| address.then(step));
        }
        Ok(address)
    }

    fn structure(&mut self, start: usize, name: &str) -> Result<Address> {
        if !STRUCTURES.contains(&name) {
            let known = STRUCTURES.into_iter().chain(STEPS.iter().map(|(name, _)| *name));
            return self.wrong(start, UnknownName::new("address", name, known).to_string());
        }
        self.expect('[')?;
        let (place, digits) = self.word();
        let Some(index) = digits.parse::<u8>().ok().filter(|&index| index < MAX_INDEX) else {
            return self.wrong(place, format!("found `{digits}`, expected an index below {MAX_INDEX}"));
        };
        self.expect(']')?;
        Ok(match name {
            "Input" if self.options.input == Input::SwappedBack => Address::SwappedBack(index),
            "Input" | "Right" => Address::Buffer(index),
            "Lookahead" => Address::Lookahead(index),
            "LeftContext" => Address::LeftContext(index),
            "RightContext" => Address::RightContext(index),
            "InactiveStack" => Address::Second(index),
            _ => Address::Stack(index),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let options = MaltOptions { input: Input::Buffer, ..MaltOptions::default() };
        assert_eq!(feature(text, options).map(|value| value.to_string()), Ok(expected.to_owned()));
    }

    #[test]
    fn features_are_read() {
        check("InputColumn(FORM,Stack[0])", "one(s0:w)");
        check(" InputColumn( UPOSTAG , succ(succ(Input[0])) ) ", "one(b0+1+1:p)");
        check("InputColumn(SEM,InactiveStack[1])", "one(i1:SEM)");
        check("OutputColumn(DEPREL,ldep(rdep(ActiveStack[0])))", "one(s0.r.l:d)");
        check("OutputColumn(DEPREL,rdep2(Stack[1]))", "one(s1.t.r:d)");
        check("InputColumn(POSTAG,pldesc(anc(Left[0])))", "one(s0.a.t.pld:t)");
        check("OutputArc(HEAD,Stack[1],Right[0])", "one(arc(s1,b0))");
        check("Exists(panc(Stack[0]))", "one(exists(s0.pa))");
        check("Distance(Stack[0],Input[0],0|1|5)", "one(dist(s0,b0,0|1|5))");
        check("NumOf(Stack[0],ldeps,0|1)", "one(ldeps(s0,0|1))");
        check(r"Split(InputColumn(FEATS,LeftContext[0]),\|)", r"one(lc0:f{\|})");
        check("Prefix(InputColumn(FORM,Stack[0]),3)", "one(s0:w[:3])");
        check("Suffix(InputColumn(FORM,Lookahead[0]),2)", "one(k0:w[-2:])");
        check("Suffix(InputColumn(FORM,Stack[0]),0)", "one(s0:w)");
        check(
            "Merge3(Merge(InputColumn(FORM,Stack[0]),OutputColumn(DEPREL,Stack[0])),InputColumn(FORM,Input[0]),InputColumn(FORM,Input[1]))",
            "one((s0:w,s0:d),b0:w,b1:w)",
        );
        check("Merge(Exists(Stack[0]),Exists(Input[0]))", "one(exists(s0),exists(b0))");
        let options = MaltOptions { nulls: Nulls::NoValue, input: Input::SwappedBack };
        let value = feature("InputColumn(FORM,Input[0])", options).unwrap();
        assert_eq!(value.to_string(), "novalue(u0:w)");
    }

    #[test]
    fn mistakes_are_explained() {
        let check = |text: &str, at: usize, reason: &str| {
            let error = feature(text, MaltOptions::default()).unwrap_err();
            assert_eq!((error.at, error.reason.as_str()), (at, reason), "{text}");
        };
        check("InputColumn(FORM,Stack[0]", 25, "found the end, expected `)`");
        check("InputColumn(FORM,Stack[0]))", 26, "found `)` after the feature, expected its end");
        check("InputColumn(FORM;Stack[0])", 22, "found `[`, expected `,`");
        check("InputColumn(FORM,Stack[-1])", 23, "found `-1`, expected an index below 16");
        check("OutputColumn(PHEAD,Stack[0])", 13, "unknown column of labels `PHEAD`; known: DEPREL");
        check("NumOf(Stack[0],dep,0)", 15, "unknown kind of dependents `dep`; known: deps, ldeps, rdeps");
        check("Distance(Stack[0],Input[0],x)", 27, "found `x` in `x`, expected numbers as in 0|1|2|5");
        check(
            "Merge(InputColumn(FORM,Stack[0]),Exists(Stack[0]))",
            0,
            "found `exists` joined with other values, expected only such",
        );
        check(
            "Split(OutputColumn(DEPREL,Stack[0]),x)",
            6,
            "found another value in `Split`, expected `InputColumn`",
        );
        let reason = |text: &str| feature(text, MaltOptions::default()).unwrap_err().reason;
        assert!(
            reason("inputColumn(FORM,Stack[0])")
                .starts_with("unknown function `inputColumn`; known: InputColumn, ")
        );
        assert!(reason("InputColumn(FORM,Stak[0])").starts_with("unknown address `Stak`; known: Stack, "));
        assert!(
            reason("InputTable(FORM,Stack[0])").starts_with("found `InputTable`, which is not supported")
        );
        assert!(reason(&"Merge(".repeat(100_000)).starts_with("found functions nested deeper than 8"));
        let deep = format!("InputColumn(FORM,{}Stack[0]", "head(".repeat(100_000));
        assert!(reason(&deep).starts_with("found an address of more than 32 steps"));
        assert!(reason("").starts_with("unknown function ``"));
    }

    #[test]
    fn addresses_can_stand_alone() {
        let of = |text: &str| address(text, MaltOptions::default()).map(|address| address.to_string());
        assert_eq!(of("head(Input[0])"), Ok("b0.h".to_owned()));
        assert!(of("Input[0]x").unwrap_err().starts_with("found `x` after"));
    }
}
