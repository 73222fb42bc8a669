//! `--record`: every event goes to a file, in the order in which the analysis saw it.
//!
//! An event and its analysis are one *turn*: whoever has it keeps all others from recording and from analysing. So the trace, judged offline, has
//! exactly the races of the run. Turns nest (making a mutex is also a write), and come before all locks of cells.
//! Since events arrive in order, their stamps are all alike: of equal stamps the one earlier in the file counts as first.

use crate::atomics::{Effect, Order};
use crate::modules;
use crate::os::{self, Fd, Mutex, OpenFlags};
use crate::output;
use crate::registry;
use crate::sites::{Note, SITES, Site};
use crate::thread::Thread;
use crate::tls;
use alloc::collections::BTreeSet;
use alloc::ffi::CString;
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
    file: None,
    buffer: Vec::new(),
    room: ROOM,
    threads: BTreeSet::new(),
    sites: BTreeSet::new(),
    modules: BTreeSet::new(),
});

/// Bytes that are gathered before they are written.
const ROOM: usize = 1 << 16;

struct Recorder {
    file: Option<Fd>,
    buffer: Vec<u8>,
    /// How full the buffer may get. Towards the end of the process, every event is written at once.
    room: usize,
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
    let flags = OpenFlags::WRITE.with(OpenFlags::CREATE).with(OpenFlags::TRUNCATE);
    let file =
        CString::new(path).map_err(|_| os::Errno::EINVAL).and_then(|path| os::open(&path, flags, 0o644));
    match file {
        Ok(fd) => {
            let mut recorder = RECORDER.lock();
            recorder.file = Some(fd);
            recorder.add(&Header { pid: os::getpid() as u32 }.bytes());
            recorder.add_modules();
            ON.store(true, Ordering::Relaxed);
        }
        Err(e) => os::die(os::CANNOT_WORK, format_args!("cannot write the record {path} ({e})")),
    }
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
    if recorder.buffer.len() >= recorder.room {
        recorder.flush();
    }
}

/// The process is about to end: whatever is gathered is written now, and what still comes as it comes.
pub fn flush() {
    if !is_on() {
        return;
    }
    let mut recorder = RECORDER.lock();
    recorder.add_modules();
    let mut names = Vec::new();
    registry::each(|id, info| {
        if !info.name.is_empty() {
            raw::write_thread_name(&mut names, id.0, &info.name);
        }
    });
    recorder.add(&names);
    recorder.flush();
    recorder.room = 0;
}

/// The child of a fork is not part of the record.
pub fn after_fork() {
    ON.store(false, Ordering::Relaxed);
}

impl Recorder {
    fn add(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
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
                raw::write_module(&mut self.buffer, &module);
            }
        }
    }

    fn flush(&mut self) {
        let Some(fd) = self.file else { return };
        if let Err(e) = os::write_all(fd, &self.buffer) {
            ON.store(false, Ordering::Relaxed);
            self.file = None;
            output::say(format_args!("cannot write the record ({e}): it ends here"));
        }
        self.buffer.clear();
    }
}
