//! Examples of a language without a grammar: sentences with trees, whose words get the tags of the lexer.

use std::fmt::Write;
use std::sync::Arc;

use quaich_code::Lexer;
use quaich_treebank::{Layout, Level, Role, Sentence};

use crate::error::Result;

/// Returns an example with the tags that the lexer gives its words, and without lemmas, fine tags and features, which files to be parsed do
/// not have. A word that is not one token of the lexer keeps its tag.
///
/// # Errors
/// If the layout cannot hold the sentence.
pub fn retag(sentence: &Sentence, lexer: &Lexer, layout: &Arc<Layout>) -> Result<Sentence> {
    let known: Vec<&str> = lexer.language().tags().map(|(_, name)| name).collect();
    let mut text = String::new();
    for token in sentence.tokens() {
        let form = sentence.form(token);
        let given = [Role::CoarseTag, Role::FineTag].map(|role| sentence.value(token, role));
        let given = given.into_iter().find(|tag| *tag != "_").unwrap_or("_");
        let tag = match lexer.tokens(form.as_bytes()).as_deref() {
            _ if known.contains(&given) => given,
            Ok([only, rest @ ..])
                if (only.end - only.start) as usize == form.len()
                    && rest.iter().all(|token| token.tag.is_layout()) =>
            {
                lexer.language().tag_name(only.tag)
            }
            _ => given,
        };
        let (head, label) = (sentence.heads()[token.index()], sentence.label(token));
        writeln!(
            text,
            "{token}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t{}",
            sentence.value(token, Role::Misc)
        )
        .expect("writing to a string cannot fail");
    }
    text.push('\n');
    let (mut retagged, mut problems) = (Sentence::empty(Arc::clone(layout)), Vec::new());
    retagged.read_block(layout, text.as_bytes(), sentence.first_line(), &mut problems);
    match problems.into_iter().find(|problem| problem.level == Level::Error) {
        Some(problem) => {
            let (file, problem) = ("an example".to_owned(), Box::new(problem));
            Err(quaich_treebank::Error::Malformed { file, problem, context: None }.into())
        }
        None => Ok(retagged),
    }
}
