//! The process's mappings, read from `/proc/self/maps` into memory of our own.

use super::{Errno, Fd, OpenFlags, close, map_zeroed, munmap, open, read};

/// Bytes of the buffer: several of the longest possible ordinary lines (a path has at most 4096 bytes).
const BUFFER: usize = 16 * 1024;

/// One mapping; the path is valid until the next one is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapping<'m> {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Whether it may be read.
    pub read: bool,
    /// Whether it may be written.
    pub write: bool,
    /// Whether it may be executed.
    pub execute: bool,
    /// Where in the file it begins.
    pub offset: u64,
    /// The file, or a name such as `[stack]`, or nothing.
    pub path: &'m [u8],
}

/// A reader of the process's mappings, in the order of their addresses.
pub struct Maps {
    fd: Fd,
    buffer: usize,
    /// The part of the buffer that has been read but not yet told.
    start: usize,
    end: usize,
}

impl Maps {
    /// Begins to read.
    pub fn open() -> Result<Maps, Errno> {
        let fd = open(c"/proc/self/maps", OpenFlags::READ, 0)?;
        match map_zeroed(BUFFER) {
            Ok(buffer) => Ok(Maps { fd, buffer, start: 0, end: 0 }),
            Err(errno) => {
                let _ = close(fd);
                Err(errno)
            }
        }
    }

    /// The next mapping, or `None` after the last.
    ///
    /// Not an `Iterator`, since the path lies in the reader's buffer.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Mapping<'_>>, Errno> {
        loop {
            let Some((from, to)) = self.next_line()? else { return Ok(None) };
            // Looked at twice, since the borrow checker cannot see that only a mapping that is returned is kept.
            if parse(&self.bytes()[from..to]).is_some() {
                return Ok(parse(&self.bytes()[from..to]));
            }
        }
    }

    /// Where the next line lies in the buffer. A line longer than the buffer comes in pieces, of which only the first
    /// can be understood as a mapping.
    fn next_line(&mut self) -> Result<Option<(usize, usize)>, Errno> {
        loop {
            let (from, end) = (self.start, self.end);
            if let Some(length) = self.bytes()[from..end].iter().position(|&byte| byte == b'\n') {
                self.start += length + 1;
                return Ok(Some((from, from + length)));
            }
            if end - from == BUFFER {
                self.start = end;
                return Ok(Some((from, end)));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Moves the unread part to the front and reads more; false at the end of the file.
    fn fill(&mut self) -> Result<bool, Errno> {
        let (fd, start, end) = (self.fd, self.start, self.end);
        let buffer = self.bytes();
        buffer.copy_within(start..end, 0);
        let count = read(fd, &mut buffer[end - start..])?;
        self.start = 0;
        self.end = end - start + count;
        Ok(count > 0)
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the buffer was mapped by `open`, belongs to this reader alone and is unmapped when that is dropped.
        unsafe { core::slice::from_raw_parts_mut(self.buffer as *mut u8, BUFFER) }
    }
}

impl Drop for Maps {
    fn drop(&mut self) {
        let _ = close(self.fd);
        // SAFETY: the buffer is this reader's own, and no mapping that borrows it can live any more.
        let _ = unsafe { munmap(self.buffer, BUFFER) };
    }
}

/// Understands `start-end rwxp offset device inode   path`.
fn parse(line: &[u8]) -> Option<Mapping<'_>> {
    let (start, rest) = hex(line)?;
    let (end, rest) = hex(rest.strip_prefix(b"-")?)?;
    let (permissions, rest) = rest.strip_prefix(b" ")?.split_at_checked(4)?;
    let (offset, rest) = hex(rest.strip_prefix(b" ")?)?;
    let device_end = rest.strip_prefix(b" ")?.iter().position(|&byte| byte == b' ')? + 1;
    let inode = &rest[device_end + 1..];
    let inode_end = inode.iter().position(|&byte| byte == b' ').unwrap_or(inode.len());
    Some(Mapping {
        start: start as usize,
        end: end as usize,
        read: permissions[0] == b'r',
        write: permissions[1] == b'w',
        execute: permissions[2] == b'x',
        offset,
        path: inode[inode_end..].trim_ascii_start(),
    })
}

/// A hexadecimal number and what follows it.
fn hex(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let number = core::str::from_utf8(&text[..digits]).ok()?;
    Some((u64::from_str_radix(number, 16).ok()?, &text[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn lines_are_understood() {
        let line = b"7f0a-7f0b r-xp 00001000 08:01 1234567                    /usr/lib/a file (deleted)";
        let mapping = parse(line).unwrap();
        assert_eq!((mapping.start, mapping.end, mapping.offset), (0x7f0a, 0x7f0b, 0x1000));
        assert_eq!((mapping.read, mapping.write, mapping.execute), (true, false, true));
        assert_eq!(mapping.path, b"/usr/lib/a file (deleted)");
        assert_eq!(parse(b"7f0a-7f0b rw-p 00000000 00:00 0 ").unwrap().path, b"");
        assert_eq!(parse(b"7f0a-7f0b rw-p 00000000 00:00 0").unwrap().path, b"");
        for garbage in
            [&b""[..], b"x", b"12-", b"12-34", b"12-34 rw", b"12-34 rwxp zz", b"12-34 rwxp 0 08:01"]
        {
            assert_eq!(parse(garbage), None);
        }
    }

    #[test]
    fn the_own_code_stack_and_data_are_found_in_order() {
        static DATA: u8 = 1;
        let on_stack = 0u8;
        let code = the_own_code_stack_and_data_are_found_in_order as *const () as usize;
        let mut maps = Maps::open().unwrap();
        let (mut found, mut last) = (Vec::new(), 0);
        while let Some(mapping) = maps.next().unwrap() {
            assert!(mapping.start >= last && mapping.end > mapping.start);
            last = mapping.end;
            let holds = |address: usize| (mapping.start..mapping.end).contains(&address);
            if holds(code) {
                assert!(mapping.execute && mapping.path.starts_with(b"/"));
                found.push("code");
            }
            if holds(&raw const on_stack as usize) {
                assert!(mapping.write);
                found.push("stack");
            }
            if holds(&raw const DATA as usize) {
                found.push("data");
            }
        }
        found.sort_unstable();
        assert_eq!(found, ["code", "data", "stack"]);
    }
}
