//! Pieces of error messages: what was found, shortened and made safe to print, and which word was meant.

use crate::{Position, TraceError};
use std::io;

/// How many characters of the input a message shows.
const SHOWN: usize = 40;

/// The first characters of a text in quotes, with everything unprintable escaped: a message stays one line.
pub(super) fn excerpt(text: &[u8]) -> String {
    // Cut before decoding, so that a line of a megabyte costs no more than a short one.
    let head = &text[..text.len().min(4 * SHOWN)];
    let (shown, whole) = match std::str::from_utf8(head) {
        Ok(s) => escape_chars(s),
        Err(e) if e.error_len().is_none() && head.len() < text.len() => {
            escape_chars(std::str::from_utf8(&head[..e.valid_up_to()]).unwrap_or_default())
        }
        Err(_) => (head[..head.len().min(SHOWN)].escape_ascii().to_string(), head.len() <= SHOWN),
    };
    let more = if whole && head.len() == text.len() { "" } else { "…" };
    format!("\"{shown}{more}\"")
}

fn escape_chars(s: &str) -> (String, bool) {
    let shown = s.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    (shown, s.chars().nth(SHOWN).is_none())
}

/// Is one word so close to the other that it may have been meant?
pub(super) fn resembles(text: &[u8], word: &str) -> bool {
    const LONGEST: usize = 20;
    text.len() <= LONGEST && edits(text, word.as_bytes()) <= (text.len() / 3).max(1)
}

/// How many characters must be inserted, deleted, replaced or swapped with their neighbour (optimal string alignment).
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut d = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            d[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replace = d[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let best = replace.min(d[i - 1][j] + 1).min(d[i][j - 1] + 1);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if swapped { best.min(d[i - 2][j - 2] + 1) } else { best }
            };
        }
    }
    d[a.len()][b.len()]
}

/// A failed read, in the operating system's words.
pub(super) fn read_failed(at: Position, error: &io::Error) -> TraceError {
    TraceError::new(at, format!("cannot read on: {error}"))
}

/// A failed write, in the operating system's words.
pub(super) fn write_failed(error: &io::Error) -> TraceError {
    TraceError::new(Position::File, format!("cannot write: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt(b"w(x)"), r#""w(x)""#);
        assert_eq!(excerpt(b"\x7fELF\xff\n"), r#""\x7fELF\xff\n""#);
        assert_eq!(excerpt("\u{1b}[31mé".as_bytes()), r#""\u{1b}[31mé""#);
        assert_eq!(excerpt(&[b'a'; 41]), format!("\"{}…\"", "a".repeat(40)));
        assert_eq!(excerpt("é".repeat(1000).as_bytes()), format!("\"{}…\"", "é".repeat(40)));
        assert_eq!(excerpt(&[0xff; 41]), format!("\"{}…\"", r"\xff".repeat(40)));
    }

    #[test]
    fn one_slip_is_near() {
        for (text, word) in [("aqc", "acq"), ("rell", "rel"), ("x", "r"), ("notifyal", "notifyall")] {
            assert!(resembles(text.as_bytes(), word), "{text} {word}");
        }
        for (text, word) in [("lock", "acq"), ("acquire", "acq"), ("fork", "r"), ("", "rel")] {
            assert!(!resembles(text.as_bytes(), word), "{text} {word}");
        }
    }
}
