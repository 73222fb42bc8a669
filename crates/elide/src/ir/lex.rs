//! Tokens of LLVM's assembly language: a cursor over the text of one instruction.

/// A place in a line, from which tokens are taken. Tokens are slices of the line; what is not understood is left for the caller to refuse.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a str,
}

/// Bytes of a name, a keyword or a number.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-' | b'+' | b'*')
}

impl<'a> Cursor<'a> {
    /// At the beginning of that text.
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { rest: text }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        if self.rest.starts_with(';') {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.rest = &self.rest[end..];
            self.skip_blanks();
        }
    }

    /// What has not been taken yet.
    pub fn rest(&self) -> &'a str {
        let mut copy = *self;
        copy.skip_blanks();
        copy.rest
    }

    /// The next token, without taking it; empty at the end.
    pub fn peek(&self) -> &'a str {
        let mut copy = *self;
        copy.next()
    }

    /// Takes the next token: a word, a name with its sigil, a string with its quotes, or one character. Empty at the end.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> &'a str {
        self.skip_blanks();
        let bytes = self.rest.as_bytes();
        let length = match bytes.first() {
            None => 0,
            Some(b'"') => string_length(bytes),
            Some(b'%' | b'@' | b'!' | b'#') => match bytes.get(1) {
                Some(b'"') => 1 + string_length(&bytes[1..]),
                _ => 1 + bytes[1..].iter().take_while(|b| is_word(**b) && **b != b'*').count(),
            },
            Some(b'.') if self.rest.starts_with("...") => 3,
            Some(b'*') => 1,
            Some(b) if is_word(*b) => bytes.iter().take_while(|b| is_word(**b) && **b != b'*').count(),
            // A character of another alphabet stands only within strings; whatever it is, take it whole.
            Some(_) => self.rest.chars().next().map_or(1, char::len_utf8),
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        token
    }

    /// A φ comes next.
    pub fn is_phi(mut self) -> bool {
        self.next();
        self.eat("=") && self.eat("phi")
    }

    /// Takes the next token if it is this one.
    pub fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        if found {
            self.next();
        }
        found
    }

    /// Takes everything up to the bracket that closes the one that is next, both included; what was between them.
    pub fn bracketed(&mut self) -> Option<&'a str> {
        let opening = self.next();
        if !matches!(opening, "(" | "[" | "{" | "<") {
            return None;
        }
        let start = self.rest;
        let mut depth = 1usize;
        loop {
            let before = self.rest;
            match self.next() {
                "" => return None,
                "(" | "[" | "{" | "<" => depth += 1,
                ")" | "]" | "}" | ">" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(&start[..start.len() - before.len()]);
            }
        }
    }
}

/// The length of the string that the bytes begin with. Quotes in strings are written `\22`, so the next quote ends it.
fn string_length(bytes: &[u8]) -> usize {
    bytes[1..].iter().position(|b| *b == b'"').map_or(bytes.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        let mut cursor = Cursor::new(text);
        std::iter::from_fn(|| Some(cursor.next()).filter(|t| !t.is_empty())).collect()
    }

    #[test]
    fn words_names_and_strings() {
        let line = "%\"a b\" = load i32, ptr @x.y, align 4, !dbg !12 ; why";
        assert_eq!(
            tokens(line),
            ["%\"a b\"", "=", "load", "i32", ",", "ptr", "@x.y", ",", "align", "4", ",", "!dbg", "!12"]
        );
        assert_eq!(
            tokens("i8* %3, i8** -5 (...)"),
            ["i8", "*", "%3", ",", "i8", "*", "*", "-5", "(", "...", ")"]
        );
    }

    #[test]
    fn brackets() {
        let mut cursor = Cursor::new("(a, [2 x i8] c\")\") rest");
        assert_eq!(cursor.bracketed(), Some("a, [2 x i8] c\")\""));
        assert_eq!(cursor.rest(), "rest");
        assert_eq!(Cursor::new("(a").bracketed(), None);
    }
}
