//! `--record`: every event goes to a file, in the order in which the analysis saw it.
//!
//! An event and its analysis are one *turn*: whoever has it keeps all others from recording and from analysing. So the trace, judged offline, has
//! exactly the races of the run. Turns nest (making a mutex is also a write), and come before all locks of cells.
//! Since events arrive in order, their stamps are all alike: of equal stamps the one earlier in the file counts as first.
//!
//! Events are written into a window of the file that is mapped to memory. So nothing need be done when the program crashes or is killed: what was recorded is in the
//! file. The rest of the last window stays zeros, which mean the end. No descriptor stays open that the program could close, or take for one of its own.

use crate::atomics::{Effect, Order};
use crate::modules;
use crate::os::{self, Mutex, OpenFlags};
use crate::output;
use crate::sites::{Note, SITES, Site};
use crate::thread::Thread;
use crate::tls;
use alloc::collections::BTreeSet;
use alloc::ffi::CString;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use deadheat_finding::raw::{self, Event, Header, RawModule};
use deadheat_shadow::Mode;

pub use deadheat_finding::raw::What;

static ON: AtomicBool = AtomicBool::new(false);
static TURN: Mutex<()> = Mutex::new(());
/// Who has the turn; zero if nobody.
static OWNER: AtomicU64 = AtomicU64::new(0);
static RECORDER: Mutex<Recorder> = Mutex::new(Recorder {
    path: None,
    window: 0,
    end: 0,
    used: WINDOW,
    threads: BTreeSet::new(),
    sites: BTreeSet::new(),
    modules: BTreeSet::new(),
});

/// Bytes of the file that are mapped at a time.
const WINDOW: usize = 1 << 18;

struct Recorder {
    /// The file; none if there is none, or no more room in it.
    path: Option<CString>,
    /// Where the window is mapped, how much of it is used, and where in the file it ends.
    window: usize,
    used: usize,
    end: u64,
    /// Threads that have had an event.
    threads: BTreeSet<u32>,
    /// Sites and modules that the file knows.
    sites: BTreeSet<u32>,
    modules: BTreeSet<u64>,
}

/// Events are recorded.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Begins to record; once, at start.
pub fn start(path: &str) {
    let made = create(path).and_then(|path| {
        let mut recorder = RECORDER.lock();
        recorder.path = Some(path);
        recorder.advance()
    });
    if let Err(e) = made {
        os::die(os::CANNOT_WORK, format_args!("cannot write the record {path} ({e})"));
    }
    let mut recorder = RECORDER.lock();
    recorder.add(&Header { pid: os::getpid() as u32 }.bytes());
    recorder.add_modules();
    ON.store(true, Ordering::Relaxed);
}

/// Makes the file, and gives its whole name, since the program may change its folder. A file that is there already is the record of another process, which this one may be
/// a child of, or of this one before it ran another program: it stays, and this record gets the process's number behind its name.
fn create(path: &str) -> Result<CString, os::Errno> {
    let flags = OpenFlags::READ_WRITE.with(OpenFlags::CREATE).with(OpenFlags::EXCLUSIVE);
    let mut folder = [0; 4096];
    let folder = os::readlink(c"/proc/self/cwd", &mut folder).unwrap_or_default();
    let folder = String::from_utf8_lossy(folder);
    let whole = if path.starts_with('/') { String::from(path) } else { format!("{folder}/{path}") };
    let pid = os::getpid();
    let others = (2..1000).map(|n| format!("{whole}.{pid}.{n}"));
    let mut last = os::Errno::EEXIST;
    for name in [whole.clone(), format!("{whole}.{pid}")].into_iter().chain(others) {
        let name = CString::new(name).map_err(|_| os::Errno::EINVAL)?;
        match os::open(&name, flags, 0o644) {
            Ok(fd) => return os::close(fd).map(|()| name),
            Err(os::Errno::EEXIST) => {}
            Err(e) => {
                last = e;
                break;
            }
        }
    }
    Err(last)
}

/// A turn to record and analyse, until it is dropped.
pub struct Turn {
    nested: bool,
}

/// The thread's turn; nothing if nothing is recorded.
#[inline]
pub fn turn() -> Option<Turn> {
    if is_on() { Some(take_turn()) } else { None }
}

fn myself() -> u64 {
    let thread = tls::thread() as u64;
    // Threads that the runtime does not know have an odd number instead of an address.
    if thread == 0 { (os::gettid() as u64) << 1 | 1 } else { thread }
}

#[cold]
fn take_turn() -> Turn {
    let me = myself();
    // Relaxed: only this thread stores this value, and takes it back before it gives the lock back.
    let nested = OWNER.load(Ordering::Relaxed) == me;
    if !nested {
        TURN.lock_raw();
        OWNER.store(me, Ordering::Relaxed);
    }
    Turn { nested }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.nested {
            OWNER.store(0, Ordering::Relaxed);
            // SAFETY: taken in `take_turn` by this thread.
            unsafe { TURN.unlock_raw() }
        }
    }
}

/// Records what the thread does there, and lets it be analysed in the same turn.
#[inline]
pub fn event(thread: &Thread, pc: u64, what: What) -> Option<Turn> {
    let turn = turn();
    if turn.is_some() {
        write(thread.id.0, thread.placer.site(pc, Note::CALL), what);
    }
    turn
}

/// As [`event`], at a site.
#[inline]
pub fn at(thread: &Thread, site: Site, what: What) -> Option<Turn> {
    let turn = turn();
    if turn.is_some() {
        write(thread.id.0, site, what);
    }
    turn
}

/// Records what the thread does, wherever that is.
#[inline]
pub fn somewhere(thread: &Thread, what: What) -> Option<Turn> {
    let turn = turn();
    if turn.is_some() {
        write(thread.id.0, thread.placer.caller(), what);
    }
    turn
}

/// Records the end of a thread, which is nowhere in the program any more.
pub fn exit(thread: &Thread) -> Option<Turn> {
    let turn = turn();
    if turn.is_some() {
        write(thread.id.0, Site::NOWHERE, What::Exit);
    }
    turn
}

/// Records a plain access.
#[inline]
pub fn plain(thread: &Thread, address: u64, size: u64, mode: Mode, pc: u64, note: Note) -> Option<Turn> {
    if !is_on() || size == 0 {
        return None;
    }
    let what = match mode {
        _ if note.says(Note::FREE) => What::Free { address, size },
        _ if mode.writes() => What::Write { address, size },
        _ => What::Read { address, size },
    };
    event(thread, pc, what)
}

/// Records an atomic operation.
pub fn atomic(thread: &Thread, address: u64, size: u64, pc: u64, effect: Effect, order: Order) {
    let order = raw_order(order, effect);
    let what = match effect {
        Effect::Load => What::AtomicLoad { address, size, order },
        Effect::Store => What::AtomicStore { address, size, order },
        Effect::Update => What::AtomicRmw { address, size, order },
    };
    drop(event(thread, pc, what));
}

/// Records the use of a mutex or its like: an atomic read of its first byte.
#[inline]
pub fn touched(thread: &Thread, address: u64, pc: u64) -> Option<Turn> {
    let turn = turn();
    if turn.is_some() {
        atomic(thread, address, 1, pc, Effect::Load, Order::Relaxed);
    }
    turn
}

/// Records a fence.
pub fn fence(thread: &Thread, order: Order) -> Option<Turn> {
    let order = match order {
        Order::Relaxed => return None,
        Order::Acquire => raw::Order::Acquire,
        Order::Release => raw::Order::Release,
        Order::AcquireRelease => raw::Order::AcqRel,
        Order::Sequential => raw::Order::SeqCst,
    };
    somewhere(thread, What::Fence { order })
}

/// The order as far as the operation can have it.
fn raw_order(order: Order, effect: Effect) -> raw::Order {
    match (order, effect) {
        (Order::Relaxed, _) => raw::Order::Relaxed,
        (Order::Sequential, _) => raw::Order::SeqCst,
        (Order::Acquire | Order::AcquireRelease, Effect::Load) => raw::Order::Acquire,
        (Order::Release | Order::AcquireRelease, Effect::Store) => raw::Order::Release,
        (Order::Release, Effect::Load) | (Order::Acquire, Effect::Store) => raw::Order::Relaxed,
        (Order::Acquire, Effect::Update) => raw::Order::Acquire,
        (Order::Release, Effect::Update) => raw::Order::Release,
        (Order::AcquireRelease, Effect::Update) => raw::Order::AcqRel,
    }
}

/// Records what happens to memory or to an object, by whichever thread this is: it has no past any more.
#[inline]
pub fn anew(what: What) -> Option<Turn> {
    let turn = turn();
    if turn.is_some() {
        // SAFETY: the current thread's own object, if it is known.
        let thread = unsafe { tls::thread().as_ref() }.map_or(0, |t| t.id.0);
        write(thread, Site::NOWHERE, what);
    }
    turn
}

/// Memory is handed out, or has gone.
#[inline]
pub fn fresh(address: u64, size: u64) -> Option<Turn> {
    if size == 0 { None } else { anew(What::Alloc { address, size }) }
}

#[cold]
fn write(thread: u32, site: Site, what: What) {
    let mut recorder = RECORDER.lock();
    recorder.define(site);
    if thread != 0 && recorder.threads.insert(thread) {
        recorder.add(&Event { stamp: 0, thread, site: 0, what: What::Start }.bytes());
    }
    recorder.add(&Event { stamp: 0, thread, site: site.0, what }.bytes());
}

/// Libraries may have come since the last time.
pub fn modules() {
    if is_on() {
        RECORDER.lock().add_modules();
    }
}

/// The program gives a thread a name.
pub fn name(thread: u32, name: &str) {
    if is_on() {
        let mut record = Vec::new();
        raw::write_thread_name(&mut record, thread, name);
        RECORDER.lock().add(&record);
    }
}

/// The child of a fork is not part of the record.
pub fn after_fork() {
    ON.store(false, Ordering::Relaxed);
}

impl Recorder {
    /// Writes a record, and the text that belongs to it. The first byte of each unit says what it is and comes last: if the process dies in between, the file ends before it.
    fn add(&mut self, bytes: &[u8]) {
        for unit in bytes.chunks_exact(raw::UNIT) {
            if self.used == WINDOW
                && let Err(e) = self.advance()
            {
                return self.give_up(e);
            }
            let to = (self.window + self.used) as *mut u8;
            // SAFETY: the window has room for whole units, and is ours to write.
            unsafe {
                core::ptr::copy_nonoverlapping(unit.as_ptr().add(1), to.add(1), raw::UNIT - 1);
                core::sync::atomic::compiler_fence(Ordering::Release);
                to.write_volatile(unit[0]);
            }
            self.used += raw::UNIT;
        }
    }

    /// Tells the file about a site and its callers.
    fn define(&mut self, mut site: Site) {
        while site != Site::NOWHERE && self.sites.insert(site.0) {
            let (parent, pc) = SITES.parent(site);
            self.add(&raw::write_site(site.0, parent.0, pc));
            site = parent;
        }
    }

    fn add_modules(&mut self) {
        for module in modules::loaded() {
            if self.modules.insert(module.start) {
                let module = RawModule {
                    start: module.start,
                    end: module.end,
                    bias: module.bias,
                    build_id: Vec::new(),
                    path: module.path,
                };
                let mut record = Vec::new();
                raw::write_module(&mut record, &module);
                self.add(&record);
            }
        }
    }

    /// The next window of the file.
    fn advance(&mut self) -> Result<(), os::Errno> {
        let path = self.path.as_ref().ok_or(os::Errno::EBADF)?;
        let fd = os::open(path, OpenFlags::READ_WRITE, 0)?;
        let mapped = os::make_room(fd, self.end, WINDOW).and_then(|()| os::map_shared(fd, self.end, WINDOW));
        let _: Result<(), _> = os::close(fd);
        let old = core::mem::replace(&mut self.window, mapped?);
        if old != 0 {
            // SAFETY: a window that was mapped here, and that nobody writes to any more.
            let _: Result<(), _> = unsafe { os::munmap(old, WINDOW) };
        }
        (self.end, self.used) = (self.end + WINDOW as u64, 0);
        Ok(())
    }

    fn give_up(&mut self, error: os::Errno) {
        ON.store(false, Ordering::Relaxed);
        self.path = None;
        output::say(format_args!("cannot write the record ({error}): it ends here"));
    }
}
