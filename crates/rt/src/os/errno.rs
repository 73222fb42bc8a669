//! The kernel's error numbers, with the words for those that the runtime may have to tell a person.

use core::fmt;

/// An error number of the kernel; never 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub i32);

impl Errno {
    /// Operation not permitted.
    pub const EPERM: Errno = Errno(1);
    /// No such file or directory.
    pub const ENOENT: Errno = Errno(2);
    /// Interrupted by a signal.
    pub const EINTR: Errno = Errno(4);
    /// Input or output error.
    pub const EIO: Errno = Errno(5);
    /// Bad file descriptor.
    pub const EBADF: Errno = Errno(9);
    /// Try again: nothing to read, no room to write, or a futex that has changed.
    pub const EAGAIN: Errno = Errno(11);
    /// Out of memory, or of address space.
    pub const ENOMEM: Errno = Errno(12);
    /// Permission denied.
    pub const EACCES: Errno = Errno(13);
    /// The file, or the mapping, is already there.
    pub const EEXIST: Errno = Errno(17);
    /// Not a directory.
    pub const ENOTDIR: Errno = Errno(20);
    /// Is a directory.
    pub const EISDIR: Errno = Errno(21);
    /// Invalid argument.
    pub const EINVAL: Errno = Errno(22);
    /// Too many open files.
    pub const EMFILE: Errno = Errno(24);
    /// No space left on the device.
    pub const ENOSPC: Errno = Errno(28);
    /// Read-only file system.
    pub const EROFS: Errno = Errno(30);
    /// Nobody reads the other end of the pipe.
    pub const EPIPE: Errno = Errno(32);
    /// The system call does not exist.
    pub const ENOSYS: Errno = Errno(38);
    /// The file cannot do that.
    pub const EOPNOTSUPP: Errno = Errno(95);
    /// Timed out.
    pub const ETIMEDOUT: Errno = Errno(110);

    /// The usual words for the error, if it is one of those named here.
    pub fn words(self) -> Option<&'static str> {
        Some(match self {
            Errno::EPERM => "operation not permitted",
            Errno::ENOENT => "no such file or directory",
            Errno::EINTR => "interrupted by a signal",
            Errno::EIO => "input/output error",
            Errno::EBADF => "bad file descriptor",
            Errno::EAGAIN => "resource temporarily unavailable",
            Errno::ENOMEM => "cannot allocate memory",
            Errno::EACCES => "permission denied",
            Errno::EEXIST => "already exists",
            Errno::ENOTDIR => "not a directory",
            Errno::EISDIR => "is a directory",
            Errno::EINVAL => "invalid argument",
            Errno::EMFILE => "too many open files",
            Errno::ENOSPC => "no space left on device",
            Errno::EROFS => "read-only file system",
            Errno::EPIPE => "broken pipe",
            Errno::ENOSYS => "system call not available",
            Errno::EOPNOTSUPP => "operation not supported",
            Errno::ETIMEDOUT => "timed out",
            _ => return None,
        })
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            Some(words) => f.write_str(words),
            None => write!(f, "error {}", self.0),
        }
    }
}
