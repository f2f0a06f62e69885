//! Confusions of labels.

use std::collections::BTreeMap;

use super::{Breakdown, Column, Context, Row, Table, Tally, Value};
use crate::evaluator::SentencePair;
use crate::percent::Share;

/// The breakdown.
pub(super) struct Confusions;

impl Breakdown for Confusions {
    fn name(&self) -> &'static str {
        "confusions"
    }

    fn about(&self) -> &'static str {
        "confused labels (gold → system), with how often the head is correct"
    }

    fn shown_rows(&self) -> usize {
        25
    }

    fn start(&self, _context: &Context) -> Box<dyn Tally> {
        Box::new(Labels::default())
    }
}

/// For each pair of labels: how often it occurs, and how often with the correct head.
#[derive(Default)]
struct Labels(BTreeMap<String, (u64, u64)>);

impl Tally for Labels {
    fn add(&mut self, pair: &SentencePair<'_>) {
        for (token, token_match) in pair.scored().filter(|(_, token_match)| !token_match.label) {
            let name = format!("{} → {}", pair.gold.label(token), pair.system.label(token));
            let (count, with_head) = self.0.entry(name).or_default();
            *count += 1;
            *with_head += u64::from(token_match.head);
        }
    }

    fn table(&self) -> Table {
        let all = self.0.values().map(|(count, _)| count).sum();
        let mut rows: Vec<(&String, &(u64, u64))> = self.0.iter().collect();
        rows.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        let row = |(name, &(count, with_head)): (&String, &(u64, u64))| Row {
            name: name.clone(),
            values: vec![
                Value::Count(count),
                Value::Part(Share::new(count, all).percent()),
                Value::Part(Share::new(with_head, count).percent()),
            ],
        };
        let columns = vec![
            Column { key: "count", name: "count" },
            Column { key: "percent", name: "% of all" },
            Column { key: "right_head_percent", name: "% right head" },
        ];
        Table { columns, rows: rows.into_iter().map(row).collect() }
    }
}
