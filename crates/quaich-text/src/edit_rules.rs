//! Edit rules: how a lemma is made from a form.
