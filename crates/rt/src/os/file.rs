//! Files: open, read, write, rename.

use super::arch::{KernelStat, number, syscall};
use super::{Errno, check};
use core::ffi::CStr;

/// An open file descriptor, not closed by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fd(pub i32);

/// Paths are taken from the current folder.
const AT_FDCWD: usize = -100isize as usize;

/// How a file is opened: the kernel's bits, combined by [`OpenFlags::with`]. Descriptors never survive `exec`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenFlags(usize);

impl OpenFlags {
    /// To read.
    pub const READ: OpenFlags = OpenFlags(0);
    /// To read and write.
    pub const READ_WRITE: OpenFlags = OpenFlags(2);
    /// To write.
    pub const WRITE: OpenFlags = OpenFlags(1);
    /// Make it if it is not there.
    pub const CREATE: OpenFlags = OpenFlags(0o100);
    /// Fail if it is there.
    pub const EXCLUSIVE: OpenFlags = OpenFlags(0o200);
    /// Empty it first.
    pub const TRUNCATE: OpenFlags = OpenFlags(0o1000);
    /// Write at its end.
    pub const APPEND: OpenFlags = OpenFlags(0o2000);

    const CLOSE_ON_EXEC: usize = 0o2_000_000;

    /// Both.
    pub const fn with(self, other: OpenFlags) -> OpenFlags {
        OpenFlags(self.0 | other.0)
    }
}

/// Opens a file; a new one gets the permissions `mode`, less the process's mask.
pub fn open(path: &CStr, flags: OpenFlags, mode: u32) -> Result<Fd, Errno> {
    at(AT_FDCWD, path, flags, mode)
}

/// Opens a file whose relative path is taken from the folder `folder`.
pub fn open_at(folder: Fd, path: &CStr, flags: OpenFlags, mode: u32) -> Result<Fd, Errno> {
    at(folder.0 as usize, path, flags, mode)
}

fn at(folder: usize, path: &CStr, flags: OpenFlags, mode: u32) -> Result<Fd, Errno> {
    let flags = flags.0 | OpenFlags::CLOSE_ON_EXEC;
    // SAFETY: the path is a string that ends in a zero byte.
    let opened =
        unsafe { syscall(number::OPENAT, [folder, path.as_ptr() as usize, flags, mode as usize, 0, 0]) };
    check(opened).map(|fd| Fd(fd as i32))
}

/// The descriptor is a terminal.
pub fn is_terminal(fd: Fd) -> bool {
    const TCGETS: usize = 0x5401;
    let mut settings = [0u8; 64];
    // SAFETY: the kernel writes a terminal's settings, of which it knows 36 bytes, into the buffer.
    check(unsafe { syscall(number::IOCTL, [fd.0 as usize, TCGETS, settings.as_mut_ptr() as usize, 0, 0, 0]) })
        .is_ok()
}

/// Closes a descriptor.
pub fn close(fd: Fd) -> Result<(), Errno> {
    // SAFETY: touches no memory.
    check(unsafe { syscall(number::CLOSE, [fd.0 as usize, 0, 0, 0, 0, 0]) }).map(drop)
}

/// Reads some bytes, 0 at the end of the file; begins again when a signal interrupts it.
pub fn read(fd: Fd, buffer: &mut [u8]) -> Result<usize, Errno> {
    let (start, length) = (buffer.as_mut_ptr() as usize, buffer.len());
    // SAFETY: the buffer is ours to write.
    again(|| unsafe { syscall(number::READ, [fd.0 as usize, start, length, 0, 0, 0]) })
}

/// Writes some bytes; begins again when a signal interrupts it.
pub fn write(fd: Fd, bytes: &[u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel only reads the bytes.
    again(|| unsafe {
        syscall(number::WRITE, [fd.0 as usize, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0])
    })
}

/// Writes all bytes, or says why not.
pub fn write_all(fd: Fd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match write(fd, bytes)? {
            0 => return Err(Errno::EIO),
            written => bytes = &bytes[written..],
        }
    }
    Ok(())
}

/// Repeats a call as long as signals interrupt it.
fn again(mut call: impl FnMut() -> usize) -> Result<usize, Errno> {
    loop {
        match check(call()) {
            Err(Errno::EINTR) => {}
            result => return result,
        }
    }
}

/// Makes room for so many bytes from there on, which are zeros until they are written; the disk may be full.
pub fn make_room(fd: Fd, offset: u64, bytes: usize) -> Result<(), Errno> {
    let all = [fd.0 as usize, 0, offset as usize, bytes, 0, 0];
    // SAFETY: touches no memory.
    match check(unsafe { syscall(number::FALLOCATE, all) }) {
        // Not every file system can set room aside.
        Err(Errno::EOPNOTSUPP) => {
            let end = offset as usize + bytes;
            // SAFETY: as above.
            check(unsafe { syscall(number::FTRUNCATE, [fd.0 as usize, end, 0, 0, 0, 0]) }).map(drop)
        }
        result => result.map(drop),
    }
}

/// What a file is and how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stat {
    /// The device that holds it.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its type and permissions.
    pub mode: u32,
    /// Its length in bytes.
    pub size: u64,
}

/// What an open file is.
pub fn fstat(fd: Fd) -> Result<Stat, Errno> {
    let mut stat = KernelStat::default();
    // SAFETY: the structure is the kernel's, and ours to write.
    check(unsafe { syscall(number::FSTAT, [fd.0 as usize, &raw mut stat as usize, 0, 0, 0, 0]) })?;
    Ok(Stat { device: stat.dev, inode: stat.ino, mode: stat.mode, size: stat.size as u64 })
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seek {
    /// Bytes from its start.
    Start(u64),
    /// Bytes from where it is now.
    Current(i64),
    /// Bytes from its end.
    End(i64),
}

/// Moves to a place and returns it, counted from the start.
pub fn lseek(fd: Fd, seek: Seek) -> Result<u64, Errno> {
    let (offset, whence) = match seek {
        Seek::Start(offset) => (offset as usize, 0),
        Seek::Current(offset) => (offset as usize, 1),
        Seek::End(offset) => (offset as usize, 2),
    };
    // SAFETY: touches no memory.
    check(unsafe { syscall(number::LSEEK, [fd.0 as usize, offset, whence, 0, 0, 0]) }).map(|at| at as u64)
}

/// Where a symbolic link leads: as much of it as the buffer holds.
pub fn readlink<'b>(path: &CStr, buffer: &'b mut [u8]) -> Result<&'b [u8], Errno> {
    let arguments = [AT_FDCWD, path.as_ptr() as usize, buffer.as_mut_ptr() as usize, buffer.len(), 0, 0];
    // SAFETY: the path ends in a zero byte, and the buffer is ours to write.
    let length = check(unsafe { syscall(number::READLINKAT, arguments) })?;
    Ok(&buffer[..length])
}

/// Renames a file, replacing what has the new name.
pub fn rename(old: &CStr, new: &CStr) -> Result<(), Errno> {
    let arguments = [AT_FDCWD, old.as_ptr() as usize, AT_FDCWD, new.as_ptr() as usize, 0, 0];
    // SAFETY: both paths end in a zero byte.
    check(unsafe { syscall(number::RENAMEAT, arguments) }).map(drop)
}

/// Removes a file's name.
pub fn unlink(path: &CStr) -> Result<(), Errno> {
    // SAFETY: the path ends in a zero byte.
    check(unsafe { syscall(number::UNLINKAT, [AT_FDCWD, path.as_ptr() as usize, 0, 0, 0, 0]) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::format;

    fn scratch(name: &str) -> CString {
        let path = std::env::temp_dir().join(format!("deadheat-os-{name}-{}", std::process::id()));
        CString::new(path.to_str().expect("a temporary folder with a readable name")).unwrap()
    }

    #[test]
    fn a_file_is_written_read_renamed_and_removed() {
        let (first, second) = (scratch("first"), scratch("second"));
        let flags = OpenFlags::WRITE.with(OpenFlags::CREATE).with(OpenFlags::TRUNCATE);
        let fd = open(&first, flags, 0o600).unwrap();
        write_all(fd, b"who came first?").unwrap();
        assert_eq!(fstat(fd).unwrap().size, 15);
        assert_eq!(fstat(fd).unwrap().mode & 0o777, 0o600);
        close(fd).unwrap();
        assert_eq!(close(fd), Err(Errno::EBADF));

        rename(&first, &second).unwrap();
        assert_eq!(open(&first, OpenFlags::READ, 0), Err(Errno::ENOENT));
        let fd = open(&second, OpenFlags::READ, 0).unwrap();
        assert_eq!(lseek(fd, Seek::Start(4)), Ok(4));
        let mut buffer = [0; 32];
        assert_eq!(read(fd, &mut buffer), Ok(11));
        assert_eq!(&buffer[..11], b"came first?");
        assert_eq!(read(fd, &mut buffer), Ok(0));
        assert_eq!(lseek(fd, Seek::End(-1)), Ok(14));
        close(fd).unwrap();
        unlink(&second).unwrap();
        assert_eq!(unlink(&second), Err(Errno::ENOENT));
    }

    #[test]
    fn the_link_to_the_own_program_can_be_read() {
        let mut buffer = [0; 4096];
        let path = readlink(c"/proc/self/exe", &mut buffer).unwrap();
        let expected = std::env::current_exe().unwrap();
        assert_eq!(core::str::from_utf8(path).unwrap(), expected.to_str().unwrap());
    }

    #[test]
    fn a_file_opens_relative_to_a_folder() {
        let folder = open(c"/proc/self", OpenFlags::READ, 0).unwrap();
        let file = open_at(folder, c"maps", OpenFlags::READ, 0).unwrap();
        close(file).unwrap();
        close(folder).unwrap();
    }
}
