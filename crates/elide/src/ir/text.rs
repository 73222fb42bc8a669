//! A text and where its lines begin.

/// The lines of a text.
pub struct Lines<'a> {
    text: &'a str,
    /// Where each line begins, and the end.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// The lines of that text.
    pub fn of(text: &'a str) -> Lines<'a> {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Lines { text, starts }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// That line, with its end.
    pub fn get(&self, line: usize) -> Option<&'a str> {
        self.span(line, 1)
    }

    /// So many lines from that one on.
    pub fn span(&self, line: usize, count: usize) -> Option<&'a str> {
        Some(&self.text[*self.starts.get(line)?..*self.starts.get(line + count)?])
    }
}
