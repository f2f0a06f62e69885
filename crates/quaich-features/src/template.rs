//! Templates: conjunctions of attributes of nodes, in a short notation.
//!
//! ```text
//! s0:w b0:p           the form of the top of the stack and the coarse tag of the buffer's front
//! s0.l:d s0:nl        the label of its outermost left dependent, and how many it has on the left
//! dist(s0,b0) s0:p    the distance between the two, with a tag
//! ```
//!
//! An address is `s0`, `s1`, … (stack), `b0`, `b1`, … (buffer), `h` and `d` (the head and the
//! dependent of an arc to be labelled), followed by steps: `.h` (head), `.l` `.l2` `.r` `.r2`
//! (outermost and second outermost dependents), `-1` and `+1` (neighbours in the sentence).

use std::fmt;

use crate::tokens::TokenAttribute;

/// Where a node is found.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Address {
    /// The i-th node of the stack from its top.
    Stack(u8),
    /// The i-th node of the buffer.
    Buffer(u8),
    /// The head of the arc to be labelled.
    ArcHead,
    /// The dependent of the arc to be labelled.
    ArcDependent,
    /// The head of a node.
    Head(Box<Address>),
    /// The outermost (0) or second outermost (1) left dependent of a node.
    Left(Box<Address>, u8),
    /// The outermost (0) or second outermost (1) right dependent of a node.
    Right(Box<Address>, u8),
    /// The token after a node.
    Next(Box<Address>),
    /// The token before a node.
    Previous(Box<Address>),
}

/// What is asked of a node, or of two.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Attribute {
    /// A property of the token, known before parsing.
    Token(Address, TokenAttribute),
    /// The label of the arc into the node.
    Label(Address),
    /// How many left dependents the node has.
    LeftValency(Address),
    /// How many right dependents the node has.
    RightValency(Address),
    /// Which labels its left dependents have.
    LeftLabels(Address),
    /// Which labels its right dependents have.
    RightLabels(Address),
    /// How far two nodes are apart and in which direction, in classes.
    Distance(Address, Address),
    /// The last (0) or last but one (1) transition.
    History(u8),
}

/// A conjunction of attributes: one feature is on for every combination of their values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Template {
    /// The attributes, at most four.
    pub attributes: Vec<Attribute>,
}

/// Why a template could not be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("in template `{template}`: {reason}")]
pub struct TemplateError {
    /// The template.
    pub template: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The most attributes a template can join.
pub const MAX_ATTRIBUTES: usize = 4;

impl Template {
    /// Understands the notation above.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let wrong = |reason: String| TemplateError { template: text.to_owned(), reason };
        let attributes: Vec<Attribute> =
            text.split_whitespace().map(parse_attribute).collect::<Result<_, _>>().map_err(wrong)?;
        if attributes.is_empty() || attributes.len() > MAX_ATTRIBUTES {
            return Err(wrong(format!(
                "found {} attributes, expected 1 to {MAX_ATTRIBUTES}",
                attributes.len()
            )));
        }
        Ok(Self { attributes })
    }

    /// The template without these attributes of tokens. Where there are no lemmas, forms stand in
    /// for them: most templates about words ask for lemmas.
    #[must_use]
    pub fn without(&self, constant: &[TokenAttribute]) -> Self {
        let mut attributes: Vec<Attribute> = Vec::new();
        for attribute in &self.attributes {
            let left = match attribute {
                Attribute::Token(address, TokenAttribute::Lemma)
                    if constant.contains(&TokenAttribute::Lemma) =>
                {
                    Attribute::Token(address.clone(), TokenAttribute::Form)
                }
                other => other.clone(),
            };
            let is_constant = matches!(&left, Attribute::Token(_, name) if constant.contains(name));
            if !is_constant && !attributes.contains(&left) {
                attributes.push(left);
            }
        }
        Self { attributes }
    }
}

fn parse_attribute(text: &str) -> Result<Attribute, String> {
    if let Some(pair) = text.strip_prefix("dist(").and_then(|rest| rest.strip_suffix(')')) {
        let (a, b) = pair.split_once(',').ok_or("expected dist(address,address)")?;
        return Ok(Attribute::Distance(parse_address(a)?, parse_address(b)?));
    }
    if let Some(i) = text.strip_prefix("history:") {
        return match i {
            "0" => Ok(Attribute::History(0)),
            "1" => Ok(Attribute::History(1)),
            _ => Err(format!("found `{text}`, expected history:0 or history:1")),
        };
    }
    let (address, name) =
        text.split_once(':').ok_or_else(|| format!("found `{text}`, expected address:attribute"))?;
    let address = parse_address(address)?;
    if let Some(attribute) = TokenAttribute::from_name(name) {
        return Ok(Attribute::Token(address, attribute));
    }
    Ok(match name {
        "d" => Attribute::Label(address),
        "nl" => Attribute::LeftValency(address),
        "nr" => Attribute::RightValency(address),
        "sl" => Attribute::LeftLabels(address),
        "sr" => Attribute::RightLabels(address),
        _ => {
            let known: Vec<&str> = TokenAttribute::ALL.iter().map(|attribute| attribute.name()).collect();
            return Err(format!("unknown attribute `{name}`; known: {} d nl nr sl sr", known.join(" ")));
        }
    })
}

/// Understands an address.
pub fn parse_address(text: &str) -> Result<Address, String> {
    let end = text.find(['.', '+', '-']).unwrap_or(text.len());
    let (base, mut steps) = text.split_at(end);
    let index = |digits: &str| {
        digits
            .parse::<u8>()
            .ok()
            .filter(|&i| i < 16)
            .ok_or_else(|| format!("found `{base}`, expected an index below 16"))
    };
    let mut address = match base.as_bytes() {
        b"h" => Address::ArcHead,
        b"d" => Address::ArcDependent,
        [b's', ..] => Address::Stack(index(&base[1..])?),
        [b'b', ..] => Address::Buffer(index(&base[1..])?),
        _ => return Err(format!("unknown address `{base}`; known: s0 s1 … b0 b1 … h d")),
    };
    while !steps.is_empty() {
        let end = steps[1..].find(['.', '+', '-']).map_or(steps.len(), |at| at + 1);
        let (step, rest) = steps.split_at(end);
        let of = Box::new(address);
        address = match step {
            ".h" => Address::Head(of),
            ".l" => Address::Left(of, 0),
            ".l2" => Address::Left(of, 1),
            ".r" => Address::Right(of, 0),
            ".r2" => Address::Right(of, 1),
            "+1" => Address::Next(of),
            "-1" => Address::Previous(of),
            _ => return Err(format!("unknown step `{step}`; known: .h .l .l2 .r .r2 +1 -1")),
        };
        steps = rest;
    }
    Ok(address)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second = |k: &u8| if *k == 0 { "" } else { "2" };
        match self {
            Self::Stack(i) => write!(f, "s{i}"),
            Self::Buffer(i) => write!(f, "b{i}"),
            Self::ArcHead => f.write_str("h"),
            Self::ArcDependent => f.write_str("d"),
            Self::Head(of) => write!(f, "{of}.h"),
            Self::Left(of, k) => write!(f, "{of}.l{}", second(k)),
            Self::Right(of, k) => write!(f, "{of}.r{}", second(k)),
            Self::Next(of) => write!(f, "{of}+1"),
            Self::Previous(of) => write!(f, "{of}-1"),
        }
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(address, attribute) => write!(f, "{address}:{}", attribute.name()),
            Self::Label(address) => write!(f, "{address}:d"),
            Self::LeftValency(address) => write!(f, "{address}:nl"),
            Self::RightValency(address) => write!(f, "{address}:nr"),
            Self::LeftLabels(address) => write!(f, "{address}:sl"),
            Self::RightLabels(address) => write!(f, "{address}:sr"),
            Self::Distance(a, b) => write!(f, "dist({a},{b})"),
            Self::History(i) => write!(f, "history:{i}"),
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, attribute) in self.attributes.iter().enumerate() {
            write!(f, "{}{attribute}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_is_read_and_written() {
        for text in [
            "s0:w",
            "s0.l2:d b0:nl",
            "dist(s0,b0) s0:p b1.r:f",
            "h-1:t d+1+1:l",
            "s0.h.h:sr",
            "history:1 b3:p",
        ] {
            assert_eq!(Template::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn mistakes_are_explained() {
        let reason = |text: &str| Template::parse(text).unwrap_err().to_string();
        assert_eq!(
            reason("s0:q"),
            "in template `s0:q`: unknown attribute `q`; known: w l p t f x d nl nr sl sr"
        );
        assert_eq!(reason("q0:w"), "in template `q0:w`: unknown address `q0`; known: s0 s1 … b0 b1 … h d");
        assert_eq!(
            reason("s0.x:w"),
            "in template `s0.x:w`: unknown step `.x`; known: .h .l .l2 .r .r2 +1 -1"
        );
        assert_eq!(reason(""), "in template ``: found 0 attributes, expected 1 to 4");
        assert_eq!(reason("s:w"), "in template `s:w`: found `s`, expected an index below 16");
    }
}
