//! Head rules by name; those with counts need a traversal of the files.

use quaich_code::files::Found;
use quaich_code::{Counting, Frequencies, HeadRule, Kinds, Language, SourceParser};

use crate::error::{Error, Result};
use crate::parallel::{File, for_each};

/// Returns the head rule with a name and the kinds that it knows. `freq` and `pres` read all files, each with a call of `on_file`;
/// files that do not parse without error are skipped. Other names stand for `term`.
///
/// # Errors
/// If this build does not have the grammar.
pub fn head_rule(
    name: &str,
    language: &'static Language,
    files: &[Found],
    mut on_file: impl FnMut(),
) -> Result<(HeadRule, Kinds)> {
    let mut kinds = Kinds::new();
    let counting = match name {
        "left" => return Ok((HeadRule::Left, kinds)),
        "right" => return Ok((HeadRule::Right, kinds)),
        "freq" => Counting::Occurrences,
        "pres" => Counting::Parents,
        _ => return Ok((HeadRule::Term, kinds)),
    };
    let new_worker = || {
        let mut parser = SourceParser::new(language, Kinds::new())?;
        let frequencies = Frequencies::new(counting, parser.kinds_mut());
        Ok((parser, frequencies))
    };
    let work = |(parser, frequencies): &mut (SourceParser, Frequencies), file: File<'_>| {
        let parsed = file.source.and_then(|source| parser.parse(&source));
        if let Ok(parsed) = parsed
            && !parsed.analysis.has_errors
        {
            frequencies.add(&parsed.analysis.tree, &parser.names(&parsed.tokens));
        }
        Ok::<_, Error>(())
    };
    let workers = for_each(files, new_worker, work, |_, ()| {
        on_file();
        Ok(())
    })?;
    let mut frequencies = Frequencies::new(counting, &mut kinds);
    for (parser, counted) in &workers {
        frequencies.absorb(counted, parser.kinds(), &mut kinds);
    }
    Ok((HeadRule::Frequent(frequencies), kinds))
}
