//! Text to file descriptors without allocating, and the runtime's last words.

use super::{Errno, Fd, exit_group, write_all};
use core::fmt::{self, Write};

/// Standard output.
pub const STDOUT: Fd = Fd(1);
/// Standard error.
pub const STDERR: Fd = Fd(2);

/// Exit status when the runtime cannot do its work, as the command line has it.
pub const CANNOT_WORK: i32 = 2;

/// Text of at most `N` bytes; what does not fit is cut off.
pub struct Line<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Default for Line<N> {
    fn default() -> Self {
        Line { bytes: [0; N], length: 0 }
    }
}

impl<const N: usize> Line<N> {
    /// Empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// What has been written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Makes it empty.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    fn is_full(&self) -> bool {
        self.length == N
    }

    /// Takes what fits and returns how much that was.
    fn push(&mut self, bytes: &[u8]) -> usize {
        let taken = bytes.len().min(N - self.length);
        self.bytes[self.length..self.length + taken].copy_from_slice(&bytes[..taken]);
        self.length += taken;
        taken
    }
}

impl<const N: usize> Write for Line<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

/// Text to a file descriptor, collected in a small buffer; [`FdWriter::finish`] or dropping it writes the rest.
pub struct FdWriter {
    fd: Fd,
    buffer: Line<512>,
    failure: Option<Errno>,
}

impl FdWriter {
    /// A writer with an empty buffer.
    pub fn new(fd: Fd) -> FdWriter {
        FdWriter { fd, buffer: Line::new(), failure: None }
    }

    /// Writes what the buffer holds; the first failure of this writer, if there was one.
    pub fn flush(&mut self) -> Result<(), Errno> {
        if self.failure.is_none() {
            self.failure = write_all(self.fd, self.buffer.as_bytes()).err();
        }
        self.buffer.clear();
        self.failure.map_or(Ok(()), Err)
    }

    /// Writes the rest and says whether everything got there.
    pub fn finish(mut self) -> Result<(), Errno> {
        self.flush()
    }
}

impl Write for FdWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            rest = &rest[self.buffer.push(rest)..];
            if self.buffer.is_full() {
                self.flush().map_err(|_| fmt::Error)?;
            }
        }
        Ok(())
    }
}

impl Drop for FdWriter {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

/// Says one line, `deadheat: ...`, on standard error and ends the process.
#[cold]
pub fn die(status: i32, message: fmt::Arguments<'_>) -> ! {
    let mut line = Line::<1024>::new();
    let _ = write!(line, "deadheat: {message}");
    let end = line.length.min(line.bytes.len() - 1);
    line.bytes[end] = b'\n';
    // With standard error closed, the exit status still tells.
    let _ = write_all(STDERR, &line.bytes[..=end]);
    exit_group(status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::AsRawFd;
    use std::string::String;

    #[test]
    fn a_line_is_cut_where_it_ends() {
        let mut line = Line::<8>::new();
        write!(line, "{} and {}", 12345, 6).unwrap();
        assert_eq!(line.as_bytes(), b"12345 an");
        line.clear();
        assert_eq!(line.as_bytes(), b"");
    }

    #[test]
    fn long_text_goes_through_the_small_buffer() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut out = FdWriter::new(Fd(writer.as_raw_fd()));
        for number in 0..500 {
            write!(out, "{number},").unwrap();
        }
        out.finish().unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("0,1,2,") && text.ends_with(",498,499,") && text.len() == 1890);
    }

    #[test]
    fn a_failure_to_write_is_told() {
        let mut out = FdWriter::new(Fd(-1));
        out.write_str("lost").unwrap();
        assert_eq!(out.finish(), Err(Errno::EBADF));
    }
}
