//! Open files: what passes through them from thread to thread, and who uses a number that another thread closes.
//!
//! A descriptor has two addresses that stand for it, in memory that nobody uses. At one, each use is a read and `close` a write, so that a use that nothing
//! orders against the close is found as a race. The other is the *channel*: what a thread has written to a file happens before what is read from it.
//! Both ends of a pipe share a channel; all regular files share one, and all sockets, since the runtime cannot see which of them lead to each other.
//! A third address stands for the number: the kernel gives it out again only after it was closed, so what was done before the close happens before what is done with the new file.

use crate::access;
use crate::os::{self, Mutex};
use crate::output::options;
use crate::sites::{Note, Site};
use crate::sync;
use crate::thread::Thread;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use deadheat_finding::ThreadId;
use deadheat_finding::options::IoSync;
use deadheat_shadow::Mode;

/// Numbers from here on are not watched: more than the kernel allows by default.
const LIMIT: usize = 1 << 20;

/// What knowledge passes through. Channels that several descriptors share are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel(u32);

impl Channel {
    /// None: nothing passes.
    pub const NONE: Channel = Channel(0);
    /// That of all files.
    pub const FILES: Channel = Channel(1);
    /// That of all sockets.
    pub const SOCKETS: Channel = Channel(2);
    /// From those who connect to those who accept.
    pub const CONNECTIONS: Channel = Channel(3);
    /// That of all descriptors, if all I/O is to be ordered.
    const ALL: Channel = Channel(4);
    const FIRST: u32 = 5;
}

/// What is known of a number.
#[repr(C)]
struct Descriptor {
    channel: AtomicU32,
    /// Who opened it, or closed it, and where.
    thread: AtomicU32,
    site: AtomicU32,
    closed: AtomicU32,
}

/// Who shares the channels, from the first that is not shared by all.
struct Channels {
    holders: Vec<u32>,
    free: Vec<u32>,
}

static CHANNELS: Mutex<Channels> = Mutex::new(Channels { holders: Vec::new(), free: Vec::new() });
/// Where descriptors are, and after them one address for the uses of each, one for each channel and one for each number. Zero until the first is needed.
static TABLE: AtomicUsize = AtomicUsize::new(0);
const USES: usize = LIMIT * size_of::<Descriptor>();
const PASSES: usize = USES + LIMIT * 8;
const NUMBERS: usize = PASSES + 2 * LIMIT * 8;
const BYTES: usize = NUMBERS + LIMIT * 8;

fn table() -> usize {
    match TABLE.load(Ordering::Acquire) {
        0 => make_table(),
        table => table,
    }
}

#[cold]
fn make_table() -> usize {
    let Ok(new) = os::map_zeroed(BYTES) else {
        os::die(os::CANNOT_WORK, format_args!("no address space for open files"))
    };
    match TABLE.compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => new,
        Err(earlier) => {
            // SAFETY: made just now, and nobody knows of it.
            let _ = unsafe { os::munmap(new, BYTES) };
            earlier
        }
    }
}

/// The number as an index, if it is watched.
fn index(fd: i32) -> Option<usize> {
    usize::try_from(fd).ok().filter(|i| *i < LIMIT)
}

fn descriptor(i: usize) -> &'static Descriptor {
    // SAFETY: the table has room for `LIMIT` of them, zeroes are valid, and all of it is atomic.
    unsafe { &*(table() as *const Descriptor).add(i) }
}

fn use_address(i: usize) -> u64 {
    (table() + USES + i * 8) as u64
}

fn number_address(i: usize) -> u64 {
    (table() + NUMBERS + i * 8) as u64
}

fn channel_address(channel: Channel) -> u64 {
    (table() + PASSES + channel.0 as usize * 8) as u64
}

impl Channel {
    /// A channel of its own, held once.
    pub fn make() -> Channel {
        let mut channels = CHANNELS.lock();
        if let Some(again) = channels.free.pop() {
            channels.holders[again as usize] = 1;
            return Channel(Channel::FIRST + again);
        }
        if channels.holders.len() + Channel::FIRST as usize >= 2 * LIMIT {
            return Channel::NONE;
        }
        channels.holders.push(1);
        Channel(Channel::FIRST + channels.holders.len() as u32 - 1)
    }

    fn own(self) -> Option<usize> {
        self.0.checked_sub(Channel::FIRST).map(|i| i as usize)
    }

    fn hold(self) -> Channel {
        if let Some(i) = self.own() {
            CHANNELS.lock().holders[i] += 1;
        }
        self
    }

    /// One holder less; without any the channel is forgotten.
    pub fn let_go(self) {
        let Some(i) = self.own() else { return };
        let mut channels = CHANNELS.lock();
        channels.holders[i] -= 1;
        if channels.holders[i] == 0 {
            sync::remove(channel_address(self));
            channels.free.push(i as u32);
        }
    }
}

/// What the thread knows, whoever reads from the channel later knows.
pub fn release_to(thread: &mut Thread, channel: Channel) {
    if channel != Channel::NONE && options().io_sync != IoSync::Nothing {
        sync::release(thread, channel_address(channel));
    }
}

/// What was released to the channel is known.
pub fn acquire_from(thread: &mut Thread, channel: Channel) {
    if channel != Channel::NONE && options().io_sync != IoSync::Nothing {
        sync::acquire(thread, channel_address(channel));
    }
}

fn channel_of(fd: i32) -> Channel {
    index(fd).map_or(Channel::NONE, |i| Channel(descriptor(i).channel.load(Ordering::Relaxed)))
}

/// The descriptor is used.
pub fn used(thread: &mut Thread, fd: i32, pc: u64) {
    if let Some(i) = index(fd) {
        access::plain(thread, use_address(i), 8, Mode::Read, pc, Note::FD);
    }
}

/// Something is written to the descriptor.
pub fn release(thread: &mut Thread, fd: i32, pc: u64) {
    used(thread, fd, pc);
    release_to(thread, channel_of(fd));
}

/// Something was read from the descriptor.
pub fn acquire(thread: &mut Thread, fd: i32, pc: u64) {
    used(thread, fd, pc);
    acquire_from(thread, channel_of(fd));
}

/// Connections are waited for at the descriptor: what can be read there is that somebody has connected, and nothing that was written to other sockets.
pub fn listens(thread: &mut Thread, fd: i32, pc: u64) {
    used(thread, fd, pc);
    if let (Some(i), IoSync::WriteToRead) = (index(fd), options().io_sync) {
        Channel(descriptor(i).channel.swap(Channel::CONNECTIONS.0, Ordering::Relaxed)).let_go();
    }
}

/// How a number comes or goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// By a call that says so: uses in other threads must be ordered against it.
    Alone,
    /// By `dup2` onto it, which programs use to swap a file under others that use the number.
    Replaced,
}

/// A descriptor was made; it holds the channel (which is not held for it yet).
pub fn made(thread: &mut Thread, fd: i32, channel: Channel, change: Change, pc: u64) {
    let Some(i) = index(fd) else { return };
    let channel = match options().io_sync {
        IoSync::Nothing => Channel::NONE,
        IoSync::WriteToRead => channel.hold(),
        IoSync::Everything => Channel::ALL,
    };
    Channel(descriptor(i).channel.swap(channel.0, Ordering::Relaxed)).let_go();
    if options().io_sync != IoSync::Nothing {
        sync::acquire(thread, number_address(i));
    }
    note(thread, i, 0, pc);
    access::forget(use_address(i), 8);
    let mode = if change == Change::Alone { Mode::Write } else { Mode::Read };
    access::plain(thread, use_address(i), 8, mode, pc, Note::FD);
}

/// A descriptor is about to be closed.
pub fn closing(thread: &mut Thread, fd: i32, change: Change, pc: u64) {
    let Some(i) = index(fd) else { return };
    let mode = if change == Change::Alone { Mode::Write } else { Mode::Read };
    access::plain(thread, use_address(i), 8, mode, pc, Note::FD);
    // Who reads the end of the file knows what was done before the last writer closed it.
    release_to(thread, channel_of(fd));
    if options().io_sync != IoSync::Nothing {
        sync::release(thread, number_address(i));
    }
    unwatch_all(fd);
    // The number may come back by ways that the runtime does not see.
    access::forget(use_address(i), 8);
    Channel(descriptor(i).channel.swap(0, Ordering::Relaxed)).let_go();
    note(thread, i, 1, pc);
}

/// One descriptor has become another name of an open file.
pub fn duplicated(thread: &mut Thread, old: i32, new: i32, change: Change, pc: u64) {
    if old == new {
        return used(thread, old, pc);
    }
    used(thread, old, pc);
    closing(thread, new, change, pc);
    made(thread, new, channel_of(old), change, pc);
}

/// Which descriptors each group of `epoll` watches, and what the program calls them there.
struct Watched {
    by_number: BTreeMap<(i32, i32), u64>,
    by_name: BTreeSet<(i32, u64, i32)>,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { by_number: BTreeMap::new(), by_name: BTreeSet::new() });
static ANY_WATCHED: AtomicU32 = AtomicU32::new(0);

/// The group watches the descriptor, under that name; under none, it does no longer.
pub fn watch(group: i32, fd: i32, name: Option<u64>) {
    ANY_WATCHED.store(1, Ordering::Relaxed);
    let mut watched = WATCHED.lock();
    if let Some(old) = watched.by_number.remove(&(group, fd)) {
        watched.by_name.remove(&(group, old, fd));
    }
    if let Some(name) = name {
        watched.by_number.insert((group, fd), name);
        watched.by_name.insert((group, name, fd));
    }
}

/// The group says that something can be read from what it knows under that name: the thread knows what was written there.
pub fn became_ready(thread: &mut Thread, group: i32, name: u64) {
    let channels: Vec<Channel> = {
        let watched = WATCHED.lock();
        let named = watched.by_name.range((group, name, 0)..=(group, name, i32::MAX));
        named.map(|(_, _, fd)| channel_of(*fd)).collect()
    };
    channels.into_iter().for_each(|channel| acquire_from(thread, channel));
}

/// The thread is told that something can be read there: it knows what was written.
pub fn became_readable(thread: &mut Thread, fd: i32) {
    acquire_from(thread, channel_of(fd));
}

/// The group, if it is one, is no more. (Descriptors that it watches stay watched after they are closed, if they have other names.)
fn unwatch_all(group: i32) {
    if ANY_WATCHED.load(Ordering::Relaxed) == 0 {
        return;
    }
    let mut watched = WATCHED.lock();
    let all: Vec<_> =
        watched.by_number.range((group, 0)..=(group, i32::MAX)).map(|(k, v)| (*k, *v)).collect();
    for ((group, fd), name) in all {
        watched.by_number.remove(&(group, fd));
        watched.by_name.remove(&(group, name, fd));
    }
}

fn note(thread: &Thread, i: usize, closed: u32, pc: u64) {
    let d = descriptor(i);
    d.thread.store(thread.id.0, Ordering::Relaxed);
    d.site.store(thread.placer.site(pc, Note::CALL).0, Ordering::Relaxed);
    d.closed.store(closed, Ordering::Relaxed);
}

/// What reports say of a descriptor.
pub struct Described {
    /// Its number.
    pub fd: i32,
    /// It is not open.
    pub closed: bool,
    /// Who opened or closed it.
    pub thread: ThreadId,
    /// Where.
    pub site: Site,
}

/// The descriptor whose uses are at that address.
pub fn at(address: u64) -> Option<Described> {
    let table = TABLE.load(Ordering::Acquire);
    if table == 0 {
        return None;
    }
    let i = (address as usize).checked_sub(table + USES)? / 8;
    let d = (i < LIMIT).then(|| descriptor(i))?;
    Some(Described {
        fd: i as i32,
        closed: d.closed.load(Ordering::Relaxed) != 0,
        thread: ThreadId(d.thread.load(Ordering::Relaxed)),
        site: Site(d.site.load(Ordering::Relaxed)),
    })
}

/// Holds channels still during `fork`.
pub fn lock_all() {
    CHANNELS.lock_raw();
    WATCHED.lock_raw();
}

/// Lets them go again.
///
/// # Safety
/// This thread, or the one whose copy it is, must have called [`lock_all`].
pub unsafe fn unlock_all() {
    // SAFETY: as the caller promises.
    unsafe {
        WATCHED.unlock_raw();
        CHANNELS.unlock_raw();
    }
}
