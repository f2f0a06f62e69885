//! Checks that multiword ranges lie within the sentence and do not overlap. (The reader checks their starts.)

use crate::error::{Level, Problem};
use crate::sentence::{Line, Sentence};

pub(super) fn check(sentence: &Sentence, problems: &mut Vec<Problem>) {
    if !sentence.layout().has_ranges() {
        return;
    }
    let n = sentence.n_tokens();
    let mut covered = 0;
    for (number, line) in (sentence.first_line()..).zip(sentence.lines()) {
        let Line::Extra(row) = line else { continue };
        let id = row.split('\t').next().unwrap_or_default();
        let Some((first, last)) = id.split_once('-') else { continue };
        let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else { continue };
        let expected = if last > n {
            format!("an end no higher than {n}, the sentence's last token")
        } else if first <= covered {
            format!("a start after {covered}, where the range before it ends")
        } else {
            covered = last;
            continue;
        };
        problems.push(Problem {
            line: number,
            column: 1,
            level: Level::Error,
            code: "bad-range",
            message: format!("found the range `{id}`, expected {expected}"),
            help: "correct the range or its rows".into(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, rows};

    #[test]
    fn ranges_stay_within_the_sentence() {
        let range = |id: &str| format!("{id}\tab\t_\t_\t_\t_\t_\t_\t_\t_\n");
        let text = rows("a,2,x b,0,root");
        check(&(range("1-2") + &text), &[]);
        check(&(range("1-3") + &text), &["1:1 bad-range"]);
        let second = text.replace("\n2", &format!("\n{}2", range("2-2")));
        check(&(range("1-2") + &second), &["3:1 bad-range"]);
    }
}
