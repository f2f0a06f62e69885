//! Verb groups (Nilsson, Nivre and Hall 2006): auxiliaries depend on main verbs in Prague style, and head them in
//! Mel'čuk style.

use super::{Arrangement, Flips};
use crate::entry::{Chosen, Entry};
use crate::error::{Error, Result};
use crate::profile::{FILE, PROFILES, Profile};

pub(crate) const ENTRY: Entry = Entry {
    name: "verb-groups",
    help: "makes auxiliaries the heads of their main verbs",
    losses: "nothing",
    choices: &[PROFILES],
    file: Some(FILE),
    build: |chosen| Ok(Box::new(verb_groups(chosen)?)),
};

fn verb_groups(chosen: &Chosen<'_>) -> Result<Flips> {
    let (file, profile) = Profile::chosen(chosen, 0)?;
    let Some(groups) = profile.verb_groups else {
        let message = "the profile has no [verb-groups]: main verbs do not head auxiliaries in this treebank";
        return Err(Error::File { file, message: message.to_owned() });
    };
    Ok(Flips {
        labels: groups.auxiliaries,
        tags: groups.auxiliary_tags,
        arrangement: Arrangement::VerbGroup,
        names: ["auxiliaries", "main verbs", "dependents of main verbs"],
    })
}
