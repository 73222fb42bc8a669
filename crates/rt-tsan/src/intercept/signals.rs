//! Signals: handlers run where the runtime is not in the middle of something.
//!
//! The kernel calls [`arrive`] for every signal that the program handles. A thread that is inside the runtime cannot run the program's handler: the signal goes
//! back to the kernel, held back, and is let through when the runtime is left (`let_through`). So it comes a few instructions later than it would have,
//! with everything that the kernel knows of it, and blocking calls are interrupted as ever: the runtime is never inside while one blocks.
//!
//! A handler may come between any two instructions of the program, also while a function that begins has written its frame to the shadow stack and not yet
//! said so. Handlers therefore begin two frames higher; the frame in between says where the thread was.

use super::touch;
use crate::{interceptors, real};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use deadheat_finding::Kind;
use deadheat_rt::os::{self, MaskChange, Mutex, SignalSet};
use deadheat_rt::place::FRAME;
use deadheat_rt::sites::Note;
use deadheat_rt::thread::{self, Stay, Thread};
use deadheat_rt::tls::{self, offset};
use deadheat_rt::{modules, report, sync};
use libc::{sigaction, siginfo_t, sigset_t, ucontext_t};

const SIGNALS: usize = 65;

/// What the program wants done at a signal.
struct Wish {
    /// Its function; zero if there is none.
    handler: AtomicUsize,
    flags: AtomicU64,
    mask: AtomicU64,
    /// The address at which those who set its handler meet those in whom it runs.
    meeting: AtomicU64,
    /// The address at which those who send it meet those who wait for it. Handlers do not come here: where they interrupt, nobody waited.
    sent: AtomicU64,
}

static WISHES: [Wish; SIGNALS] = [const {
    Wish {
        handler: AtomicUsize::new(0),
        flags: AtomicU64::new(0),
        mask: AtomicU64::new(0),
        meeting: AtomicU64::new(0),
        sent: AtomicU64::new(0),
    }
}; SIGNALS];
/// Held while a wish changes.
static CHANGES: Mutex<()> = Mutex::new(());

/// Readies signals.
pub fn start() {
    thread::set_deliver(let_through);
}

/// Keeps wishes as they are during `fork`.
pub fn lock_all() {
    CHANGES.lock_raw();
}

/// Lets them change again.
///
/// # Safety
/// This thread, or the one whose copy it is, must have called [`lock_all`].
pub unsafe fn unlock_all() {
    // SAFETY: the caller's promise.
    unsafe { CHANGES.unlock_raw() }
}

fn wish(signal: c_int) -> Option<&'static Wish> {
    WISHES.get(usize::try_from(signal).ok()?).filter(|_| signal > 0)
}

fn meeting(wish: &Wish) -> u64 {
    &raw const wish.meeting as u64
}

/// A function that handlers must not call: told, if one does.
#[inline]
pub fn unsafe_call(thread: &mut Thread, pc: u64) {
    if thread.in_handler > 0 {
        report::simple(thread, Kind::SignalUnsafeCall, pc, "");
    }
}

/// Looked up before a handler is set, since looking up is not for handlers.
fn cancel_type() -> unsafe extern "C" fn(c_int, *mut c_int) -> c_int {
    real!(pthread_setcanceltype(c_int, *mut c_int) -> c_int)
}

/// The kernel lets a signal through.
///
/// While a thread is in a call that it can be cancelled in, the C library lets it be cancelled at any instruction, and so in whatever interrupts that call. The runtime
/// must not be left half-way: a cancellation waits until the handler is done.
extern "C" fn arrive(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    const DEFERRED: c_int = 0;
    let mut before = DEFERRED;
    // SAFETY: a variable of ours.
    unsafe { cancel_type()(DEFERRED, &mut before) };
    arrive_uncancelled(signal, info, context);
    if before != DEFERRED {
        // SAFETY: puts back what was; does not return if the thread was cancelled meanwhile.
        unsafe { cancel_type()(before, &mut before) };
    }
}

fn arrive_uncancelled(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the current thread's object, if it has one.
    let thread = unsafe { tls::thread().as_mut() };
    let is_inside = |thread: &Thread| thread.busy.load(Ordering::Relaxed) > 0 || thread.owner.is_inside();
    match thread {
        // SAFETY: what the kernel passed.
        Some(thread) if is_inside(thread) && !unsafe { is_own_fault(signal, info) } => {
            // SAFETY: what the kernel passed.
            if !unsafe { defer(thread, signal, info, context) } {
                handle(signal, info, context);
            }
        }
        Some(thread) if !is_inside(thread) => watched(signal, info, context),
        _ => handle(signal, info, context),
    }
}

/// The thread itself did what the signal is about, just now: it cannot go on without the handler.
unsafe fn is_own_fault(signal: c_int, info: *const siginfo_t) -> bool {
    let fault = matches!(
        signal,
        libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL | libc::SIGTRAP | libc::SIGSYS
    );
    // SAFETY: the caller's promise. Codes of what processes send are not positive.
    fault && unsafe { (*info).si_code } > 0
}

/// Gives the signal back to the kernel until the runtime is left; false if the kernel does not take it.
unsafe fn defer(thread: &mut Thread, signal: c_int, info: *const siginfo_t, context: *mut c_void) -> bool {
    let bit = SignalSet::EMPTY.with(signal);
    // SAFETY: what the kernel passed.
    if unsafe { os::requeue_signal(signal, info as *const u8) }.is_err() {
        return false;
    }
    // The kernel holds it back while its handler runs; the context's mask does when this returns.
    // SAFETY: what the kernel passed; it reads the first word of the set when the handler returns.
    unsafe {
        let mask = &raw mut (*(context as *mut ucontext_t)).uc_sigmask as *mut u64;
        *mask |= bit.0;
    }
    thread.deferred |= bit.0;
    thread.pending = true;
    true
}

/// The thread has left the runtime: what was held back may come.
fn let_through(thread: &mut Thread) {
    let set = SignalSet(core::mem::take(&mut thread.deferred));
    thread.pending = false;
    os::change_signal_mask(MaskChange::Unblock, set);
}

/// The program's handler, with everything around it put back as it was.
fn watched(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let frames = tls::get::<{ offset::FRAMES }>();
    let caller = tls::get::<{ offset::CALLER }>();
    // SAFETY: the thread's own.
    let errno = unsafe { &mut *libc::__errno_location() };
    let kept = core::mem::replace(errno, UNLIKELY);
    let Some(w) = wish(signal) else { return };
    let handler = w.handler.load(Ordering::Acquire);
    if let Some(mut thread) = Stay::begin() {
        sync::acquire(&mut thread, meeting(w));
        // SAFETY: what the kernel passed.
        let pc =
            unsafe { (*(context as *const ucontext_t)).uc_mcontext.gregs[libc::REG_RIP as usize] } as u64;
        step_up(&mut thread, frames, pc, caller);
        thread.in_handler += 1;
    }
    handle(signal, info, context);
    let spoiled = *errno != UNLIKELY;
    if let Some(mut thread) = Stay::begin() {
        // SAFETY: what the kernel passed.
        if spoiled && signal != libc::SIGTERM && !unsafe { is_own_fault(signal, info) } {
            report::simple(&mut thread, Kind::SignalErrnoSpoiled, handler as u64 + 1, "");
        }
        thread.in_handler = thread.in_handler.saturating_sub(1);
        tls::set::<{ offset::FRAMES }>(frames);
    }
    tls::set::<{ offset::CALLER }>(caller);
    *errno = kept;
}

/// An error that no function of the C library gives a handler: if it is there afterwards, the handler has left `errno` alone.
const UNLIKELY: c_int = 99;

/// Begins a part of the shadow stack for a handler, above a frame that may be in the making.
fn step_up(thread: &mut Thread, frames: u64, pc: u64, caller: u64) {
    /// A site is known, also if it is nowhere.
    const KNOWN: u64 = 1 << 32;
    // What the program called, be it of the runtime or of the C library, is told by where it was called.
    let pc = if is_called(pc) { caller } else { pc + 1 };
    let site = thread.placer.site(pc, Note::CALL);
    let between = (frames as usize + FRAME) as *mut u64;
    // SAFETY: the shadow stack goes on beyond its top, and what is written there is above all frames in use.
    unsafe {
        between.write(pc);
        between.add(1).write(KNOWN | site.0 as u64);
    }
    tls::set::<{ offset::FRAMES }>(frames + 2 * FRAME as u64);
}

/// Where the C library is; known once there is a handler.
static LIBRARY: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

fn find_library() {
    let inside = real!(raise(c_int) -> c_int) as usize as u64;
    if LIBRARY[1].load(Ordering::Relaxed) == 0
        && let Some(m) = modules::loaded().iter().find(|m| (m.start..m.end).contains(&inside))
    {
        LIBRARY[0].store(m.start, Ordering::Relaxed);
        LIBRARY[1].store(m.end, Ordering::Relaxed);
    }
}

fn is_called(pc: u64) -> bool {
    let library = LIBRARY[0].load(Ordering::Relaxed)..LIBRARY[1].load(Ordering::Relaxed);
    modules::is_own_code(pc) || library.contains(&pc)
}

/// How often handlers may be interrupted by further ones of a signal that its own handler does not hold back. One that is sent faster than the runtime can be left is
/// always there already when its handler begins, and would fill the stack.
const DEEPEST: u32 = 64;

/// The handler runs on a stack that the program has made for handlers, and that has less than half of itself left: few are made for one handler in another.
///
/// # Safety
/// `context` is what the kernel passed.
unsafe fn is_cramped(context: *const c_void) -> bool {
    // SAFETY: the caller's promise.
    let own = unsafe { (*(context as *const ucontext_t)).uc_stack };
    let left = (&raw const own as usize).wrapping_sub(own.ss_sp as usize);
    left < own.ss_size / 2
}

/// How many handlers this thread is in.
fn depth() -> u32 {
    // SAFETY: the current thread's object, if it has one.
    unsafe { tls::thread().as_ref() }.map_or(0, |t| t.in_handler)
}

/// Calls the program's handler.
fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let Some(w) = wish(signal) else { return };
    let handler = w.handler.load(Ordering::Acquire);
    if w.flags.load(Ordering::Relaxed) & libc::SA_RESETHAND as u64 != 0 {
        w.handler.store(libc::SIG_DFL, Ordering::Release);
    }
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        return;
    }
    let own = SignalSet::EMPTY.with(signal);
    let nests = w.flags.load(Ordering::Relaxed) & libc::SA_NODEFER as u64 != 0
        && w.mask.load(Ordering::Relaxed) & own.0 == 0
        && depth() < DEEPEST
        // SAFETY: what the kernel passed.
        && !unsafe { is_cramped(context) };
    if nests {
        os::change_signal_mask(MaskChange::Unblock, own);
    }
    // SAFETY: the program's function for this; one that takes a signal only does not look at the rest.
    unsafe {
        core::mem::transmute::<usize, extern "C" fn(c_int, *mut siginfo_t, *mut c_void)>(handler)(
            signal, info, context,
        )
    }
    if nests {
        os::change_signal_mask(MaskChange::Block, own);
    }
}

fn is_function(handler: usize) -> bool {
    handler != libc::SIG_DFL && handler != libc::SIG_IGN && handler != libc::SIG_ERR
}

fn first_word(set: &sigset_t) -> u64 {
    // SAFETY: a set is at least that large, and its first word has all the kernel's signals.
    unsafe { (set as *const sigset_t as *const u64).read() }
}

/// Sets what the program wants, with ours in place of its function; what it wanted before.
///
/// # Safety
/// As `sigaction`.
unsafe fn change(signal: c_int, new: *const sigaction, old: *mut sigaction) -> c_int {
    let real = real!(sigaction(c_int, *const sigaction, *mut sigaction) -> c_int);
    let (Some(w), Some(mut thread)) = (wish(signal), Stay::begin()) else {
        // SAFETY: passes the program's call on as it is.
        return unsafe { real(signal, new, old) };
    };
    find_library();
    let change = CHANGES.lock();
    // SAFETY: the program's structures, if there are any.
    unsafe {
        let before = (
            w.handler.load(Ordering::Acquire),
            w.flags.load(Ordering::Relaxed),
            w.mask.load(Ordering::Relaxed),
        );
        let mut ours = None;
        if let Some(new) = new.as_ref() {
            sync::release(&mut thread, meeting(w));
            cancel_type();
            let mut passed = *new;
            if is_function(new.sa_sigaction) {
                passed.sa_sigaction = arrive as *const () as usize;
                passed.sa_flags |= libc::SA_SIGINFO;
                // One that may interrupt its own handler interrupts that, not what the runtime does around it: whoever sends faster than that would fill the stack.
                passed.sa_flags &= !libc::SA_NODEFER;
                // Before the kernel knows: the signal may come at once.
                w.flags.store(new.sa_flags as u32 as u64, Ordering::Relaxed);
                w.mask.store(first_word(&new.sa_mask), Ordering::Relaxed);
                w.handler.store(new.sa_sigaction, Ordering::Release);
            }
            ours = Some(passed);
        }
        let pointer = ours.as_ref().map_or(core::ptr::null(), |a| a as *const sigaction);
        let result = real(signal, pointer, old);
        if result != 0 {
            w.handler.store(before.0, Ordering::Release);
            w.flags.store(before.1, Ordering::Relaxed);
            w.mask.store(before.2, Ordering::Relaxed);
        } else if let Some(old) = old.as_mut()
            && old.sa_sigaction == arrive as *const () as usize
        {
            old.sa_sigaction = before.0;
            old.sa_flags = before.1 as u32 as c_int;
        }
        drop(change);
        result
    }
}

/// The old way to set a handler.
///
/// # Safety
/// As `signal`.
unsafe fn change_simply(signal: c_int, handler: usize, flags: c_int) -> usize {
    // SAFETY: zeroes are a valid structure.
    let (mut new, mut old): (sigaction, sigaction) = unsafe { (core::mem::zeroed(), core::mem::zeroed()) };
    (new.sa_sigaction, new.sa_flags) = (handler, flags);
    // SAFETY: variables of ours.
    match unsafe { change(signal, &new, &mut old) } {
        0 => old.sa_sigaction,
        _ => libc::SIG_ERR,
    }
}

/// Somebody is about to send the signal: what it did before happens before the end of a wait for it.
fn sending(signal: c_int) {
    if let (Some(w), Some(mut thread)) = (wish(signal), Stay::begin()) {
        sync::release(&mut thread, &raw const w.sent as u64);
    }
}

/// A thread has waited for the signal, and it came.
fn received(signal: c_int) {
    if let (Some(w), Some(mut thread)) = (wish(signal), Stay::begin()) {
        sync::acquire(&mut thread, &raw const w.sent as u64);
    }
}

/// As [`received`], with what is known of it.
fn told(signal: c_int, info: *const siginfo_t, pc: u64) {
    if signal > 0 {
        received(signal);
        touch::object(info, pc);
    }
}

interceptors! {
    fn sigaction(pc; signal: c_int, new: *const sigaction, old: *mut sigaction) -> c_int {
        // SAFETY: the program's call.
        unsafe { change(signal, new, old) }
    }

    fn signal(pc; signal: c_int, handler: usize) -> usize {
        // SAFETY: the program's call.
        unsafe { change_simply(signal, handler, libc::SA_RESTART) }
    }

    fn bsd_signal(pc; signal: c_int, handler: usize) -> usize {
        // SAFETY: the program's call.
        unsafe { change_simply(signal, handler, libc::SA_RESTART) }
    }

    fn sysv_signal(pc; signal: c_int, handler: usize) -> usize {
        // SAFETY: the program's call.
        unsafe { change_simply(signal, handler, libc::SA_RESETHAND | libc::SA_NODEFER) }
    }

    fn raise(pc; signal: c_int) -> c_int {
        sending(signal);
        real(signal)
    }

    fn kill(pc; process: c_int, signal: c_int) -> c_int {
        sending(signal);
        real(process, signal)
    }

    fn killpg(pc; group: c_int, signal: c_int) -> c_int {
        sending(signal);
        real(group, signal)
    }

    fn tgkill(pc; process: c_int, thread: c_int, signal: c_int) -> c_int {
        sending(signal);
        real(process, thread, signal)
    }

    fn pthread_kill(pc; thread: libc::pthread_t, signal: c_int) -> c_int {
        sending(signal);
        real(thread, signal)
    }

    fn sigqueue(pc; process: c_int, signal: c_int, value: *mut c_void) -> c_int {
        sending(signal);
        real(process, signal, value)
    }

    fn pthread_sigqueue(pc; thread: libc::pthread_t, signal: c_int, value: *mut c_void) -> c_int {
        sending(signal);
        real(thread, signal, value)
    }

    fn sigwait(pc; set: *const sigset_t, signal: *mut c_int) -> c_int {
        let result = real(set, signal);
        if result == 0 {
            touch::object(signal, pc);
            // SAFETY: the program's variable, which was set.
            received(unsafe { *signal });
        }
        result
    }

    fn sigwaitinfo(pc; set: *const sigset_t, info: *mut siginfo_t) -> c_int {
        let signal = real(set, info);
        told(signal, info, pc);
        signal
    }

    fn sigtimedwait(pc; set: *const sigset_t, info: *mut siginfo_t, time: *const libc::timespec) -> c_int {
        let signal = real(set, info, time);
        told(signal, info, pc);
        signal
    }
}
