//! A finding in one sentence, and the parts that it consists of: what SARIF and HTML both say.

use crate::words::base_name;
use crate::{Access, AccessMode, Finding, Frame, Hold, Kind, Memory, Stack, ThreadId};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A stack with what it is the stack of.
pub(crate) struct Told<'a> {
    /// `Read of 4 bytes by the main thread`.
    pub what: String,
    pub thread: Option<ThreadId>,
    pub stack: &'a Stack,
}

/// `Data race on 'balance': the main thread reads at main (bank.c:30), thread T1 writes at deposit (bank.c:12).`
pub(crate) fn headline(finding: &Finding) -> String {
    let mut out =
        if finding.title.is_empty() { name(finding.kind).to_string() } else { sentence(&finding.title) };
    if let Some(memory) = short_memory(&finding.memory) {
        out.push_str(" on ");
        out.push_str(&memory);
    }
    let mut parts: Vec<String> = Vec::new();
    for access in &finding.accesses {
        let verb = match access.mode {
            AccessMode::Read => "reads",
            AccessMode::Write => "writes",
            AccessMode::AtomicRead => "atomically reads",
            AccessMode::AtomicWrite => "atomically writes",
            AccessMode::Free => "frees it",
        };
        parts.push(format!("{} {verb}{}", who(access.thread), at(&access.stack)));
    }
    for edge in &finding.cycle {
        let (taken, held) = (edge.taken, edge.held);
        parts.push(format!("{} takes {taken} while it holds {held}{}", who(edge.thread), at(&edge.stack)));
    }
    if let (true, Some(stack)) = (parts.is_empty(), finding.main_stack()) {
        out.push_str(&at(stack));
    }
    if !parts.is_empty() {
        out.push_str(": ");
        out.push_str(&parts.join(", "));
    }
    out.push('.');
    out
}

/// What people call the kind.
pub(crate) fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::DataRace => "Data race",
        Kind::DataRaceOnVptr => "Data race on the pointer to virtual functions",
        Kind::UseAfterFree => "Use after free, unordered",
        Kind::UseAfterFreeOnVptr => "Virtual call after free, unordered",
        Kind::LockOrderInversion => "Lock-order inversion",
        Kind::DoubleLock => "Double lock of a mutex",
        Kind::UnlockUnlocked => "Unlock of an unlocked mutex",
        Kind::UnlockForeign => "Unlock of a mutex that another thread holds",
        Kind::ReadLockMisuse => "Read lock of a write-locked mutex",
        Kind::ReadUnlockMisuse => "Read unlock of a write-locked mutex",
        Kind::DestroyLocked => "Destruction of a locked mutex",
        Kind::UseOfDestroyedMutex => "Use of a destroyed mutex",
        Kind::ThreadLeak => "Thread leak",
        Kind::SignalUnsafeCall => "Unsafe call in a signal handler",
        Kind::SignalErrnoSpoiled => "Signal handler changes errno",
    }
}

/// The stacks that are the bug: accesses, places, edges.
pub(crate) fn parties(finding: &Finding) -> Vec<Told<'_>> {
    let mut out: Vec<Told<'_>> = Vec::new();
    for (nth, access) in finding.accesses.iter().enumerate() {
        out.push(Told { what: party(nth, access), thread: Some(access.thread), stack: &access.stack });
    }
    for place in &finding.places {
        let what = match place.what.as_str() {
            "" if out.is_empty() => format!("{}, in {}", name(finding.kind), who(place.thread)),
            "" => format!("Before, in {}", who(place.thread)),
            what => format!("{what}, in {}", who(place.thread)),
        };
        out.push(Told { what, thread: Some(place.thread), stack: &place.stack });
    }
    for edge in &finding.cycle {
        let what = format!("{} takes {} while it holds {}", who(edge.thread), edge.taken, edge.held);
        out.push(Told { what: sentence(&what), thread: Some(edge.thread), stack: &edge.stack });
        if !edge.held_stack.is_empty() {
            let what = format!("It had taken {} here", edge.held);
            out.push(Told { what, thread: Some(edge.thread), stack: &edge.held_stack });
        }
    }
    out
}

/// The stacks that tell more: the memory, the sleep, mutexes, threads.
pub(crate) fn background(finding: &Finding) -> Vec<Told<'_>> {
    let mut out: Vec<Told<'_>> = Vec::new();
    match &finding.memory {
        Memory::Heap { thread, stack, freed, .. } => {
            out.push(Told { what: format!("Allocated by {}", who(*thread)), thread: Some(*thread), stack });
            if let Some(freed) = freed {
                let what = format!("Freed by {}", who(freed.thread));
                out.push(Told { what, thread: Some(freed.thread), stack: &freed.stack });
            }
        }
        Memory::FileDescriptor { fd, closed, thread, stack } => {
            let done = if *closed { "closed" } else { "opened" };
            let what = format!("File descriptor {fd} {done} by {}", who(*thread));
            out.push(Told { what, thread: Some(*thread), stack });
        }
        _ => {}
    }
    if !finding.slept.is_empty() {
        out.push(Told { what: "Only a sleep in between".into(), thread: None, stack: &finding.slept });
    }
    for mutex in finding.mutexes.iter().filter(|mutex| !mutex.created.is_empty()) {
        let what = format!("Mutex {} ({}) created", mutex.id, mutex.addr);
        out.push(Told { what, thread: None, stack: &mutex.created });
    }
    for thread in finding.threads.iter().filter(|thread| !thread.created.is_empty()) {
        let quoted = if thread.name.is_empty() { String::new() } else { format!(" '{}'", thread.name) };
        let by = thread.created_by.map(|by| format!(" by {}", who(by))).unwrap_or_default();
        let what = format!("{}{quoted} created{by}", sentence(&who(thread.id)));
        out.push(Told { what, thread: thread.created_by, stack: &thread.created });
    }
    out
}

/// `Earlier: write of 4 bytes at 0x… by thread T1, holding M0`.
fn party(nth: usize, access: &Access) -> String {
    let Access { mode, size, addr, thread, held, .. } = access;
    let bytes = if *size == 1 { "1 byte".into() } else { format!("{size} bytes") };
    let mut out = format!("{} of {bytes} at {addr} by {}", mode.noun(), who(*thread));
    for (nth, held) in held.iter().enumerate() {
        let read = if held.hold == Hold::Read { " for reading" } else { "" };
        let before = if nth == 0 { ", holding" } else { "," };
        out.push_str(&format!("{before} {}{read}", held.mutex));
    }
    if nth == 0 { sentence(&out) } else { format!("Earlier: {out}") }
}

/// What the memory is: `'balance'`, `a heap block of 40 bytes`.
pub(crate) fn short_memory(memory: &Memory) -> Option<String> {
    match memory {
        Memory::Unknown => None,
        Memory::Heap { size, offset, .. } => Some(format!("byte {offset} of a heap block of {size} bytes")),
        Memory::Global { name: Some(name), .. } => Some(format!("'{name}'")),
        Memory::Global { module, .. } => {
            let module = module.as_deref().map(|module| format!(" of {}", base_name(module)));
            Some(format!("a global variable{}", module.unwrap_or_default()))
        }
        Memory::ThreadLocal { thread } => Some(format!("a thread-local variable of {}", who(*thread))),
        Memory::Stack { thread } => Some(format!("the stack of {}", who(*thread))),
        Memory::FileDescriptor { fd, .. } => Some(format!("file descriptor {fd}")),
    }
}

/// ` in deposit (bank.c:12)`, from the innermost frame with source.
fn at(stack: &Stack) -> String {
    let Some(frame) = stack.source().or(stack.top()) else { return String::new() };
    let function = frame.function.as_deref().map(|function| format!(" in {function}"));
    let place = short_place(frame).map(|place| format!(" ({place})"));
    function.unwrap_or_default() + &place.unwrap_or_default()
}

fn short_place(frame: &Frame) -> Option<String> {
    let file = base_name(frame.file.as_deref()?);
    Some(frame.line.map_or_else(|| file.into(), |line| format!("{file}:{line}")))
}

fn who(thread: ThreadId) -> String {
    match thread {
        ThreadId::MAIN => "the main thread".into(),
        other => other.to_string(),
    }
}

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{destroy, inversion, race};
    use expect_test::expect;

    #[test]
    fn headlines() {
        let all = [race(), inversion(), destroy(), Finding::new(Kind::ThreadLeak, 1)].map(|f| headline(&f));
        expect![[r#"
            Data race on 'balance': the main thread reads in main (bank.c:30), thread T1 writes in store(int*) (bank.c:11).
            Lock-order inversion: the main thread takes M1 while it holds M0 in transfer (bank.c:41), thread T1 takes M0 while it holds M1 in transfer (bank.c:51).
            Destruction of a locked mutex on the stack of the main thread in main (bank.c:60).
            Thread leak."#]].assert_eq(&all.join("\n"));
    }

    #[test]
    fn stacks() {
        let all = [race(), inversion(), destroy()];
        let told = all.iter().flat_map(|f| parties(f).into_iter().chain(background(f)));
        let what: Vec<_> = told.map(|told| told.what).collect();
        expect![[r#"
            Read of 4 bytes at 0x555556a68af0 by the main thread
            Earlier: write of 4 bytes at 0x555556a68af0 by thread T1, holding M0
            Mutex M0 (0x555556a68b38) created
            Thread T1 'teller' created by the main thread
            The main thread takes M1 while it holds M0
            It had taken M0 here
            Thread T1 takes M0 while it holds M1
            It had taken M1 here
            Mutex M0 (0x555556a68b38) created
            Mutex M1 (0x555556a68b60) created
            Thread T1 created by the main thread
            Destruction of a locked mutex, in the main thread
            Before, in thread T1"#]]
        .assert_eq(&what.join("\n"));
    }
}
