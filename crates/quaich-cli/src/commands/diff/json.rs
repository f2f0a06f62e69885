//! Differences as JSON, written while the files are read: the differences first, then their counts.

use std::cell::RefCell;
use std::io::{self, Write};

use quaich::treebank::{Node, Sentence, Sink};
use serde::ser::{Error as _, SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use super::{Comparison, Counts, Differing};

#[derive(Serialize)]
struct Difference<'a> {
    sentence: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_id: Option<&'a str>,
    token: usize,
    form: &'a str,
    one: Attachment<'a>,
    other: Attachment<'a>,
}

/// The head and label of a token in one of the files.
#[derive(Serialize)]
struct Attachment<'a> {
    line: u64,
    head: Option<usize>,
    label: &'a str,
}

/// Writes one object to standard output. Output is buffered, so that files that do not match usually print nothing.
pub(super) fn write(comparison: Comparison) -> anyhow::Result<()> {
    let mut buffered = Buffered { sink: Sink::for_json(None)?, bytes: Vec::new() };
    let differences = Differences { comparison: RefCell::new(comparison), failure: RefCell::default() };
    let found = Found { differences };
    let written = serde_json::to_writer_pretty(&mut buffered, &found);
    if let Some(failure) = found.differences.failure.take() {
        return Err(failure);
    }
    written.map_err(io::Error::from)?;
    buffered.bytes.push(b'\n');
    buffered.flush()?;
    buffered.sink.finish()?;
    Ok(())
}

/// A buffer that is flushed in large pieces.
struct Buffered {
    sink: Sink,
    bytes: Vec<u8>,
}

impl Buffered {
    const PIECE: usize = 1 << 20;
}

impl Write for Buffered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= Self::PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}

struct Found {
    differences: Differences,
}

/// The differences, read during serialisation, and the error if reading fails.
struct Differences {
    comparison: RefCell<Comparison>,
    failure: RefCell<Option<anyhow::Error>>,
}

impl Serialize for Found {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("differences", &self.differences)?;
        let Counts { sentences, differing_sentences, tokens, differing_tokens, head, label, both } =
            &self.differences.comparison.borrow().counts;
        for (name, count) in [
            ("sentences", sentences),
            ("differing_sentences", differing_sentences),
            ("tokens", tokens),
            ("differing_tokens", differing_tokens),
            ("head", head),
            ("label", label),
            ("both", both),
        ] {
            map.serialize_entry(name, count)?;
        }
        map.end()
    }
}

impl Serialize for Differences {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut comparison = self.comparison.borrow_mut();
        let mut list = serializer.serialize_seq(None)?;
        loop {
            match comparison.next() {
                Ok(Some(differing)) => {
                    for &token in &differing.tokens {
                        list.serialize_element(&difference(&differing, token))?;
                    }
                }
                Ok(None) => return list.end(),
                Err(failure) => {
                    let error = S::Error::custom(&failure);
                    self.failure.replace(Some(failure));
                    return Err(error);
                }
            }
        }
    }
}

fn difference<'a>(differing: &Differing<'a>, token: Node) -> Difference<'a> {
    let Differing { number, one, other, .. } = *differing;
    let attachment = |sentence: &'a Sentence| {
        let head = sentence.heads()[token.index()];
        Attachment {
            line: sentence.line_of(token),
            head: head.is_some().then(|| head.index()),
            label: sentence.label(token),
        }
    };
    Difference {
        sentence: number,
        sent_id: one.comment("sent_id"),
        token: token.index(),
        form: one.form(token),
        one: attachment(one),
        other: attachment(other),
    }
}
