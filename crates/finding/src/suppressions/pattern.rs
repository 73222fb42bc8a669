//! Patterns for names: a part of the name, with `*` for anything, `^` for its start and `$` for its end.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// A pattern. `^` means the start only in front, `$` the end only at the end: in between they are characters like any other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    text: String,
    /// The parts between the stars.
    parts: Vec<String>,
    at_start: bool,
    at_end: bool,
}

impl Pattern {
    pub fn parse(text: &str) -> Pattern {
        let inner = text.strip_prefix('^').unwrap_or(text);
        let (at_start, rest) = (inner.len() < text.len(), inner);
        let inner = rest.strip_suffix('$').unwrap_or(rest);
        Pattern {
            text: text.into(),
            parts: inner.split('*').map(ToString::to_string).collect(),
            at_start,
            at_end: inner.len() < rest.len(),
        }
    }

    /// The pattern that matches that name. Stars in it stand for themselves and for more; `^` and `$`, which other readers of such
    /// files take for anchors wherever they stand, are left open.
    pub fn exactly(name: &str) -> Pattern {
        // A name cannot span lines in a file of patterns, nor start or end with a blank there.
        let open = |c: char| matches!(c, '^' | '$') || c.is_control();
        Pattern::parse(&("^".to_string() + &name.replace(open, "*") + "$"))
    }

    /// Does the name match?
    ///
    /// Each part is taken at the first place where it fits, which leaves most to the parts after it; only the last one may have
    /// to be at the end.
    pub fn matches(&self, name: &str) -> bool {
        let Some((last, firsts)) = self.parts.split_last() else { return true };
        let mut rest = name;
        let mut anchored = self.at_start;
        for part in firsts {
            let Some(after) = after(rest, part, anchored) else { return false };
            (rest, anchored) = (after, false);
        }
        match (anchored, self.at_end) {
            (true, true) => rest == last.as_str(),
            (false, true) => rest.ends_with(last.as_str()),
            (_, false) => after(rest, last, anchored).is_some(),
        }
    }
}

/// What comes after the first occurrence of the part; after the part at the very start, if it must be there.
fn after<'a>(name: &'a str, part: &str, anchored: bool) -> Option<&'a str> {
    match anchored {
        true => name.strip_prefix(part),
        false => name.find(part).map(|at| &name[at + part.len()..]),
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, name: &str) -> bool {
        Pattern::parse(pattern).matches(name)
    }

    #[test]
    fn parts_stars_and_anchors() {
        for (pattern, name) in [
            ("oo", "foo.c"),
            ("^foo", "foo.c"),
            (".c$", "foo.c"),
            ("^foo$", "foo"),
            ("f*c", "foo.c"),
            ("^f*.c$", "foo.c"),
            ("^*foo*$", "a foo b"),
            ("a*a", "aa"),
            ("^a*a$", "abca"),
            ("*", "x"),
            ("$_0", "main::$_0::operator()"),
            ("operator^", "operator^(int)"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("of", "foo"),
            ("^oo", "foo"),
            ("fo$", "foo"),
            ("^foo$", "foo2"),
            ("a*a", "a"),
            ("^a*a$", "a"),
            ("Foo", "foo"),
            ("x*y", "y x"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    /// The definition, tried in every way.
    fn slow(pattern: &[char], name: &[char], at_end: bool) -> bool {
        match pattern.split_first() {
            None => !at_end || name.is_empty(),
            Some(('*', rest)) => (0..=name.len()).any(|n| slow(rest, &name[n..], at_end)),
            Some((c, rest)) => name.first() == Some(c) && slow(rest, &name[1..], at_end),
        }
    }

    proptest! {
        #[test]
        fn as_defined(start: bool, inner in "[ab*]{0,6}", end: bool, name in "[ab]{0,8}") {
            let text = std::format!("{}{inner}{}", if start { "^" } else { "" }, if end { "$" } else { "" });
            let all: Vec<char> = if start { inner.chars().collect() } else { std::format!("*{inner}").chars().collect() };
            let name_chars: Vec<char> = name.chars().collect();
            prop_assert_eq!(matches(&text, &name), slow(&all, &name_chars, end));
        }

        #[test]
        fn a_name_matches_its_own_pattern(name in "\\PC{0,30}") {
            prop_assert!(Pattern::exactly(&name).matches(&name));
        }
    }
}
