//! Classes of counts and distances, defined by a feature model: `0|1|2|5` are 0, 1, 2 to 4, 5 and more.

use std::fmt;

/// The lower bounds of all classes, in ascending order. Numbers below the first bound have their own class.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bounds(Vec<u32>);

/// The most bounds.
const MAX_BOUNDS: usize = 64;

impl Bounds {
    /// Parses `0|1|2|5`, in any order.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = |part: &str| {
            let number = part.trim().parse::<u32>().ok().filter(|&number| number < u32::MAX);
            number.ok_or_else(|| format!("found `{part}` in `{text}`, expected numbers as in 0|1|2|5"))
        };
        let mut bounds = text.split('|').map(number).collect::<Result<Vec<u32>, String>>()?;
        bounds.sort_unstable();
        bounds.dedup();
        if bounds.len() > MAX_BOUNDS {
            return Err(format!("found {} classes, expected at most {MAX_BOUNDS}", bounds.len()));
        }
        Ok(Self(bounds))
    }

    /// Returns the class of a number: 0 below the first bound, then one per bound.
    #[inline]
    pub fn class(&self, number: u32) -> u32 {
        self.0.iter().fold(0, |class, &bound| class + u32::from(bound <= number))
    }

    /// Returns the number of classes.
    pub fn n_classes(&self) -> u32 {
        self.0.iter().fold(1, |n, _| n + 1)
    }

    /// Returns the name of a class: its lower bound, or `<` for numbers below all bounds.
    pub fn name(&self, class: u32) -> String {
        let bound = class.checked_sub(1).and_then(|class| self.0.get(class as usize));
        bound.map_or_else(|| "<".to_owned(), ToString::to_string)
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, bound) in self.0.iter().enumerate() {
            write!(f, "{}{bound}", if i > 0 { "|" } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_classes() {
        let bounds = Bounds::parse("1|0|2|5|5").unwrap();
        assert_eq!((bounds.to_string(), bounds.n_classes()), ("0|1|2|5".to_owned(), 5));
        let name = |number: u32| bounds.name(bounds.class(number));
        assert_eq!([0, 1, 2, 4, 5, 99].map(name), ["0", "1", "2", "2", "5", "5"]);
        let bounds = Bounds::parse("3").unwrap();
        assert_eq!([0, 2, 3].map(|number| bounds.name(bounds.class(number))), ["<", "<", "3"]);
    }

    #[test]
    fn mistakes_are_explained() {
        let error = Bounds::parse("0|x").unwrap_err();
        assert_eq!(error, "found `x` in `0|x`, expected numbers as in 0|1|2|5");
        assert!(Bounds::parse("").is_err());
        let many: Vec<String> = (0..100).map(|bound: u32| bound.to_string()).collect();
        assert!(Bounds::parse(&many.join("|")).unwrap_err().starts_with("found 100 classes"));
    }
}
