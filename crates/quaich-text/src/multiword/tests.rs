use proptest::prelude::*;

use super::*;

/// A splitter learned from `token=word+word` and ordinary tokens.
fn learn(tokens: &str) -> MultiwordSplitter {
    let tokens: Vec<TrainingToken<'_>> = tokens
        .split(' ')
        .map(|token| match token.split_once('=') {
            Some((form, words)) => TrainingToken { form, words: words.split('+').collect() },
            None => TrainingToken { form: token, words: Vec::new() },
        })
        .collect();
    MultiwordSplitter::learn(&tokens)
}

#[track_caller]
fn check(splitter: &MultiwordSplitter, token: &str, words: &str) {
    let found = splitter.split(token).map(|words| words.join("+"));
    assert_eq!(found.as_deref().unwrap_or("-"), words, "{token}");
}

#[test]
fn known_tokens_are_split_as_in_the_treebank() {
    let splitter = learn("do=de+o do=de+o do=d+o á=a+a I'm=I+'m");
    check(&splitter, "do", "de+o");
    check(&splitter, "Do", "De+o");
    check(&splitter, "DO", "DE+O");
    check(&splitter, "Á", "A+a");
    check(&splitter, "I’M", "I+’M");
    check(&splitter, "xyz", "-");
    assert!(splitter.splits_anything() && !splitter.is_concatenative());
}

#[test]
fn unknown_tokens_are_split_by_affixes() {
    let splitter =
        learn("verse=ver+se facerse=facer+se dicirlle=dicir+lle deste=de+este daquel=de+aquel casa");
    check(&splitter, "Perderse", "Perder+se");
    check(&splitter, "PERDERLLE", "PERDER+LLE");
    check(&splitter, "DAQUI", "DE+AQUI");
    check(&splitter, "se", "-");
    check(&splitter, "casas", "-");
}

#[test]
fn stem_changes_are_undone() {
    let splitter =
        learn("trátase=trata+se fálalle=fala+lle mátao=mata+o chámame=chama+me víame=vía+me víase=vía+se");
    check(&splitter, "Gánase", "Gana+se");
    check(&splitter, "ÁTASE", "ATA+SE");
    check(&splitter, "líase", "lía+se");
}

#[test]
fn concatenative_treebanks_only_teach_split_points() {
    let mut tokens: Vec<String> = (0..100).map(|n| format!("w{n}que=w{n}+que")).collect();
    tokens.push("nil=ne+hil".to_owned());
    let splitter = learn(&tokens.join(" "));
    assert!(splitter.is_concatenative());
    check(&splitter, "nil", "ne+hil");
    check(&splitter, "vil", "-");
    check(&splitter, "armaque", "arma+que");
}

#[test]
fn evidence_overrides_the_segmenter() {
    use MultiwordEvidence::{Always, Likely, Never, Possible, Sometimes};
    let splitter = learn(
        "aren't=are+n't isn't=is+n't wasn't=was+n't its=it+s its cats dogs its thats=that+s tis=t+is US US US us=u+s",
    );
    let evidence = [
        ("isn't", Always),
        ("Isn’t", Always),
        ("its", Sometimes),
        ("dogs", Never),
        ("xyz", Never),
        ("hasn't", Likely),
        ("lets", Possible),
        ("US", Never),
        ("us", Sometimes),
    ];
    for (token, expected) in evidence {
        assert_eq!(splitter.evidence(token), expected, "{token}");
        let decided = [splitter.is_multiword(token, false), splitter.is_multiword(token, true)];
        let decision = match expected {
            Always => [true, true],
            Never => [false, false],
            Sometimes | Likely | Possible => [false, true],
        };
        assert_eq!(decided, decision, "{token}");
    }
}

#[test]
fn ordinary_tokens_are_not_split() {
    let splitter = learn("a b c");
    assert!(!splitter.splits_anything() && !splitter.is_multiword("a", true));
    check(&splitter, "a", "-");
}

#[test]
fn words_do_not_begin_with_combining_marks() {
    let splitter = learn("tala=ta+la tla=t+la");
    check(&splitter, "bela", "be+la");
    let splitter = learn("ab\u{94d}=a+b\u{94d}");
    check(&splitter, "xb\u{94d}", "x+b\u{94d}");
    let splitter = learn("abc=a+bc");
    check(&splitter, "a\u{301}c", "-");
}

#[test]
fn splitters_are_saved() {
    let splitter = learn("trátase=trata+se mátao=mata+o do=de+o nunha=en+unha víase=vía+se da fase");
    let json = serde_json::to_string(&splitter).unwrap();
    assert_eq!(serde_json::from_str::<MultiwordSplitter>(&json).unwrap(), splitter);
}

#[test]
fn malicious_files_are_rejected() {
    let json = serde_json::to_string(&learn("trátase=trata+se mátao=mata+o do=de+o")).unwrap();
    let long = "x".repeat(MAX_TOKEN_LENGTH + 1);
    for (from, to) in [
        ("[\"de\",\"o\"]", "[\"de\"]"),
        ("[\"de\",\"o\"]", "[\"de\",\"\"]"),
        ("[\"de\",\"o\"]", "[]"),
        ("\"do\"", &format!("\"{long}\"")),
        ("[0:-2] [-2:-0]", "[0:-2]"),
        ("[0:-2] [-2:-0]", "[0:-2] [-2:-9999]"),
        ("[0:-2] [-2:-0]", "[0:-2]  x"),
        ("\"right\":1", "\"right\":9"),
        ("\"text\":\"se\"", "\"text\":\"\""),
        ("\"text\":\"se\"", &format!("\"text\":\"{long}\"")),
        ("changed_contexts\":[", "changed_contexts\":[\"\","),
    ] {
        let changed = json.replace(from, to);
        assert_ne!(changed, json, "{from} in {json}");
        assert!(serde_json::from_str::<MultiwordSplitter>(&changed).is_err(), "{from} → {to}");
    }
}

#[test]
fn long_tokens_are_ignored() {
    let splitter = learn("verse=ver+se");
    let long = "a".repeat(1_000_000) + "se";
    assert_eq!(splitter.split(&long), None);
    assert!(!splitter.is_multiword(&long, true));
    learn(&format!("{long}={long}+{long} b=c+d"));
}

proptest! {
    #[test]
    fn any_tokens_can_be_learned_and_split(
        tokens in proptest::collection::vec(("[a-cA-CáÁ'’\u{301}]{0,6}", "[a-cA-Cá'’\u{301}]{0,4}", "[a-cA-Cá]{0,3}", any::<bool>()), 0..12),
        other in "[a-cA-CáÁ'’\u{301}]{0,8}",
    ) {
        let tokens: Vec<TrainingToken<'_>> = tokens
            .iter()
            .map(|(form, first, second, is_split)| TrainingToken {
                form,
                words: if *is_split { vec![first, second] } else { Vec::new() },
            })
            .collect();
        let splitter = MultiwordSplitter::learn(&tokens);
        for token in tokens.iter().map(|token| token.form).chain([&other[..]]) {
            let split = splitter.split(token);
            prop_assert!(split.is_some() || !splitter.is_multiword(token, true));
            prop_assert!(split.is_none_or(|words| words.len() == 2 && words.iter().all(|word| !word.is_empty())));
        }
        let json = serde_json::to_string(&splitter).unwrap();
        prop_assert_eq!(serde_json::from_str::<MultiwordSplitter>(&json).unwrap(), splitter);
    }
}
