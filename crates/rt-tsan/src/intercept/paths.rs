//! Names of files, what is known of them, and folders.

use super::{files, touch};
use crate::{answers, interceptors, reads_texts};
use core::ffi::{c_char, c_int, c_uint, c_void};
use deadheat_rt::descriptors::Channel;
use libc::{stat, statfs, statvfs};

type Text = *const c_char;
type To = *mut c_char;
type Entry = *mut libc::dirent;

fn length(text: *const c_char) -> usize {
    // SAFETY: a string that was written just now.
    unsafe { crate::lang::__deadheat_strlen(text as *const u8) + 1 }
}

answers! {
    fn stat(path: Text, to: *mut stat) -> r: c_int { texts path; if r == 0 => to }
    fn stat64(path: Text, to: *mut stat) -> r: c_int { texts path; if r == 0 => to }
    fn lstat(path: Text, to: *mut stat) -> r: c_int { texts path; if r == 0 => to }
    fn lstat64(path: Text, to: *mut stat) -> r: c_int { texts path; if r == 0 => to }
    fn fstat(fd: c_int, to: *mut stat) -> r: c_int { uses fd; if r == 0 => to }
    fn fstat64(fd: c_int, to: *mut stat) -> r: c_int { uses fd; if r == 0 => to }
    fn fstatat(fd: c_int, path: Text, to: *mut stat, flags: c_int) -> r: c_int { texts path; if r == 0 => to }
    fn fstatat64(fd: c_int, path: Text, to: *mut stat, flags: c_int) -> r: c_int { texts path; if r == 0 => to }
    fn statx(fd: c_int, path: Text, flags: c_int, mask: c_uint, to: *mut libc::statx) -> r: c_int { texts path; if r == 0 => to }
    fn __xstat(version: c_int, path: Text, to: *mut stat) -> r: c_int { texts path; if r == 0 => to }
    fn __xstat64(version: c_int, path: Text, to: *mut stat) -> r: c_int { texts path; if r == 0 => to }
    fn __lxstat(version: c_int, path: Text, to: *mut stat) -> r: c_int { texts path; if r == 0 => to }
    fn __lxstat64(version: c_int, path: Text, to: *mut stat) -> r: c_int { texts path; if r == 0 => to }
    fn __fxstat(version: c_int, fd: c_int, to: *mut stat) -> r: c_int { uses fd; if r == 0 => to }
    fn __fxstat64(version: c_int, fd: c_int, to: *mut stat) -> r: c_int { uses fd; if r == 0 => to }
    fn statfs(path: Text, to: *mut statfs) -> r: c_int { texts path; if r == 0 => to }
    fn statfs64(path: Text, to: *mut statfs) -> r: c_int { texts path; if r == 0 => to }
    fn fstatfs(fd: c_int, to: *mut statfs) -> r: c_int { uses fd; if r == 0 => to }
    fn fstatfs64(fd: c_int, to: *mut statfs) -> r: c_int { uses fd; if r == 0 => to }
    fn statvfs(path: Text, to: *mut statvfs) -> r: c_int { texts path; if r == 0 => to }
    fn statvfs64(path: Text, to: *mut statvfs) -> r: c_int { texts path; if r == 0 => to }
    fn fstatvfs(fd: c_int, to: *mut statvfs) -> r: c_int { uses fd; if r == 0 => to }
    fn fstatvfs64(fd: c_int, to: *mut statvfs) -> r: c_int { uses fd; if r == 0 => to }
    fn readlink(path: Text, to: To, room: usize) -> n: isize { texts path; if n >= 0 => to[n as usize] }
    fn readlinkat(fd: c_int, path: Text, to: To, room: usize) -> n: isize { texts path; if n >= 0 => to[n as usize] }
    fn getcwd(to: To, room: usize) -> r: To { if !r.is_null() => r[length(r)] }
    fn realpath(path: Text, to: To) -> r: To { texts path; if !r.is_null() => r[length(r)] }
    fn canonicalize_file_name(path: Text) -> r: To { texts path; if !r.is_null() => r[length(r)] }
    fn mkdtemp(path: To) -> r: To { if !r.is_null() => r[length(r)] }
    fn tmpnam(to: To) -> r: To { if !r.is_null() => r[length(r)] }
    fn tmpnam_r(to: To) -> r: To { if !r.is_null() => r[length(r)] }
    fn ttyname(fd: c_int) -> r: To { uses fd; if !r.is_null() => r[length(r)] }
    fn ptsname(fd: c_int) -> r: To { uses fd; if !r.is_null() => r[length(r)] }
    fn ttyname_r(fd: c_int, to: To, room: usize) -> r: c_int { uses fd; if r == 0 => to[length(to)] }
    fn ptsname_r(fd: c_int, to: To, room: usize) -> r: c_int { uses fd; if r == 0 => to[length(to)] }
    fn getxattr(path: Text, name: Text, to: *mut u8, room: usize) -> n: isize { texts path, name; if room > 0 && n >= 0 => to[n as usize] }
    fn lgetxattr(path: Text, name: Text, to: *mut u8, room: usize) -> n: isize { texts path, name; if room > 0 && n >= 0 => to[n as usize] }
    fn fgetxattr(fd: c_int, name: Text, to: *mut u8, room: usize) -> n: isize { texts name; if room > 0 && n >= 0 => to[n as usize] }
    fn listxattr(path: Text, to: *mut u8, room: usize) -> n: isize { texts path; if room > 0 && n >= 0 => to[n as usize] }
    fn readdir_r(folder: *mut c_void, to: Entry, found: *mut Entry) -> r: c_int {
        // SAFETY: set by the call if it succeeded.
        if r == 0 => found, to[if unsafe { *found }.is_null() { 0 } else { entry_bytes(to) }]
    }
    fn readdir64_r(folder: *mut c_void, to: Entry, found: *mut Entry) -> r: c_int {
        // SAFETY: as above.
        if r == 0 => found, to[if unsafe { *found }.is_null() { 0 } else { entry_bytes(to) }]
    }
    fn readdir(folder: *mut c_void) -> entry: Entry { if !entry.is_null() => entry[entry_bytes(entry)] }
    fn readdir64(folder: *mut c_void) -> entry: Entry { if !entry.is_null() => entry[entry_bytes(entry)] }
}

/// Bytes of an entry of a folder.
fn entry_bytes(entry: Entry) -> usize {
    // SAFETY: an entry that was made just now.
    unsafe { (*entry).d_reclen as usize }
}

reads_texts! {
    unlink(path: Text) path;
    unlinkat(fd: c_int, path: Text, flags: c_int) path;
    rmdir(path: Text) path;
    remove(path: Text) path;
    mkdir(path: Text, mode: c_uint) path;
    mkfifo(path: Text, mode: c_uint) path;
    chdir(path: Text) path;
    chmod(path: Text, mode: c_uint) path;
    access(path: Text, mode: c_int) path;
    rename(from: Text, to: Text) from to;
    link(from: Text, to: Text) from to;
    symlink(from: Text, to: Text) from to;
    truncate(path: Text, size: i64) path;
    system(command: Text) command;
}

interceptors! {
    fn opendir(pc; path: Text) -> *mut c_void {
        touch::text(path, pc);
        let folder = real(path);
        if !folder.is_null() {
            // SAFETY: a folder that was opened just now.
            files::made(unsafe { libc::dirfd(folder as *mut libc::DIR) }, Channel::FILES, pc);
        }
        folder
    }

    fn closedir(pc; folder: *mut c_void) -> c_int {
        if !folder.is_null() {
            // SAFETY: the program's folder.
            files::closing(unsafe { libc::dirfd(folder as *mut libc::DIR) }, pc);
        }
        real(folder)
    }
}
