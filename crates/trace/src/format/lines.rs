//! Splitting a stream into numbered lines, in constant memory whatever the stream holds.

use super::message::read_failed;
use crate::{Position, TraceError};
use std::io::{self, Read};
use std::ops::Range;

/// The longest line, without its end. Nobody writes one; a file without line ends must not fill the memory.
pub(super) const MAX_LINE: usize = 1 << 20;
/// What is asked of the input at a time: large enough that a read costs nothing per line, small enough for the cache.
const CHUNK: usize = 128 << 10;

/// A line without its end.
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: u64,
    pub(super) text: &'a [u8],
}

/// The lines of an input.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// What is read and not yet handed out.
    unread: Range<usize>,
    /// Up to where `unread` is known to hold no line end.
    searched: usize,
    /// How many lines have been handed out or skipped.
    number: u64,
    /// The first of the blank lines just skipped: a mistake unless nothing follows.
    blank: Option<u64>,
    ended: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        let buffer = vec![0; CHUNK];
        Lines { input, buffer, unread: 0..0, searched: 0, number: 0, blank: None, ended: false }
    }

    /// The next line that is not blank; `None` at the end.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>, TraceError> {
        loop {
            let Some(line) = self.next_raw()? else { return Ok(None) };
            self.number += 1;
            // Hardly any line with content starts with a byte this small: a cheap test for the rare case.
            let may_be_blank = self.buffer.get(line.start).is_none_or(|&b| b <= b' ') || line.is_empty();
            if may_be_blank && self.buffer[line.clone()].trim_ascii().is_empty() {
                self.blank.get_or_insert(self.number);
            } else if let Some(blank) = self.blank {
                return Err(TraceError::new(Position::Line(blank), "a blank line before the end"));
            } else {
                return Ok(Some(Line { number: self.number, text: &self.buffer[line] }));
            }
        }
    }

    /// What is in the buffer from the next line on: nothing if the next line is not to be taken without a look at those before.
    #[inline]
    pub(super) fn buffered(&self) -> &[u8] {
        if self.blank.is_some() { &[] } else { &self.buffer[self.unread.clone()] }
    }

    /// Skips a line of that length, its end included, at the start of [`buffered`](Self::buffered), and returns its number.
    #[inline]
    pub(super) fn skip(&mut self, len: usize) -> u64 {
        self.unread.start += len;
        self.searched = self.unread.start;
        self.number += 1;
        self.number
    }

    /// Where the next line lies in the buffer, without `\n` or `\r\n`.
    #[inline]
    fn next_raw(&mut self) -> Result<Option<Range<usize>>, TraceError> {
        loop {
            if let Some(n) = memchr::memchr(b'\n', &self.buffer[self.searched..self.unread.end]) {
                let line = self.unread.start..self.searched + n;
                self.unread.start = line.end + 1;
                self.searched = self.unread.start;
                return self.checked(line).map(Some);
            }
            if !self.fill()? {
                let rest = self.unread.clone();
                self.unread.start = rest.end;
                self.searched = rest.end;
                return if rest.is_empty() { Ok(None) } else { self.checked(rest).map(Some) };
            }
        }
    }

    #[inline]
    fn checked(&self, line: Range<usize>) -> Result<Range<usize>, TraceError> {
        let line = match self.buffer[line.clone()] {
            [.., b'\r'] => line.start..line.end - 1,
            _ => line,
        };
        if line.len() > MAX_LINE { Err(self.too_long()) } else { Ok(line) }
    }

    #[cold]
    fn too_long(&self) -> TraceError {
        TraceError::new(self.here(), format!("the line is longer than {MAX_LINE} bytes"))
    }

    /// The line that is being read.
    fn here(&self) -> Position {
        Position::Line(self.number + 1)
    }

    /// Reads more of a line that does not end in the buffer; `false` at the end of the input.
    #[cold]
    fn fill(&mut self) -> Result<bool, TraceError> {
        self.searched = self.unread.len();
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        // The line may still be followed by `\r`.
        if self.unread.len() > MAX_LINE + 1 {
            return Err(self.too_long());
        }
        if self.buffer.len() - self.unread.len() < CHUNK / 2 {
            self.buffer.resize(self.unread.len() + CHUNK, 0);
        }
        while !self.ended {
            match self.input.read(&mut self.buffer[self.unread.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => {
                    self.unread.end += n;
                    return Ok(true);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(read_failed(self.here(), &e)),
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time and is interrupted before each.
    struct Trickle<'a>(&'a [u8], bool);

    impl Read for Trickle<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.read(&mut to[..1]) }
        }
    }

    fn split(input: impl Read) -> Result<Vec<(u64, String)>, TraceError> {
        let (mut lines, mut found) = (Lines::new(input), Vec::new());
        while let Some(line) = lines.next()? {
            found.push((line.number, String::from_utf8_lossy(line.text).into_owned()));
        }
        Ok(found)
    }

    #[test]
    fn line_ends_are_stripped() {
        let expected = vec![(1, "a".to_owned()), (2, " b\r".to_owned()), (3, "c".to_owned())];
        for text in ["a\n b\r\r\nc", "a\r\n b\r\r\nc\r\n", "a\n b\r\r\nc\n\n \r\n\n"] {
            assert_eq!(split(text.as_bytes()), Ok(expected.clone()));
            assert_eq!(split(Trickle(text.as_bytes(), false)), Ok(expected.clone()));
        }
        assert_eq!(split("".as_bytes()), Ok(vec![]));
        assert_eq!(split("\n\n".as_bytes()), Ok(vec![]));
    }

    #[test]
    fn the_first_of_several_blank_lines_is_blamed() {
        let error = TraceError::new(Position::Line(2), "a blank line before the end");
        assert_eq!(split("a\n\n\nb\n".as_bytes()), Err(error));
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit() {
        let line = "x".repeat(MAX_LINE);
        assert_eq!(split(format!("a\n{line}\n{line}\r\nb").as_bytes()).unwrap().len(), 4);
        let error = TraceError::new(Position::Line(2), "the line is longer than 1048576 bytes");
        assert_eq!(split(format!("a\n{line}x\nb").as_bytes()), Err(error.clone()));
        assert_eq!(split(format!("a\n{line}x").as_bytes()), Err(error));
    }

    #[test]
    fn an_endless_line_stays_in_constant_memory() {
        let mut lines = Lines::new(io::repeat(b'x'));
        assert!(lines.next().is_err());
        assert!(lines.buffer.len() <= MAX_LINE + 3 * CHUNK);
    }
}
