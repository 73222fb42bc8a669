//! Changes to a text, line by line: what is not changed stays byte for byte.

use crate::ir::text::Lines;
use hashbrown::{HashMap, HashSet};

/// What is to be done to the lines of a text.
#[derive(Default)]
pub struct Edits {
    before: HashMap<usize, String, foldhash::fast::FixedState>,
    instead: HashMap<usize, String, foldhash::fast::FixedState>,
    gone: HashSet<usize, foldhash::fast::FixedState>,
    /// What follows the text.
    pub end: String,
}

impl Edits {
    /// Puts whole lines before that one, behind what was put there already.
    pub fn insert(&mut self, line: usize, text: &str) {
        self.before.entry(line).or_default().push_str(text);
    }

    /// Puts whole lines in place of that one.
    pub fn replace(&mut self, line: usize, text: String) {
        self.instead.insert(line, text);
    }

    /// What the line is to be, if it is to be another.
    pub fn replaced(&self, line: usize) -> Option<&str> {
        self.instead.get(&line).map(String::as_str)
    }

    /// Takes the line out.
    pub fn remove(&mut self, line: usize) {
        self.gone.insert(line);
    }

    /// The text with all of it done.
    pub fn apply(&self, lines: &Lines<'_>) -> String {
        let all = lines.span(0, lines.count()).unwrap_or("");
        let mut text = String::with_capacity(all.len() + all.len() / 4);
        for at in 0..lines.count() {
            if let Some(before) = self.before.get(&at) {
                text.push_str(before);
            }
            match self.instead.get(&at) {
                Some(instead) => text.push_str(instead),
                None if self.gone.contains(&at) => {}
                None => text.push_str(lines.get(at).unwrap_or("")),
            }
        }
        text.push_str(&self.end);
        text
    }
}
