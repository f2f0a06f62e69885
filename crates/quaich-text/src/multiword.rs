//! Multiword tokens: one token of the text, several words of the syntax.
