//! FT-Mutex and FT-CAS behind the same cells: whole granules by their own handlers, everything else as VerifiedFT.

use crate::access::{MEMORY, locked};
use crate::thread::Thread;
use deadheat_finding::options::Algorithm;
use deadheat_online::{VarState, Word, baselines};
use deadheat_shadow::{Access, Conflict, Stamps};

/// An access by one of the two older implementations.
pub fn checked(thread: &mut Thread, cell: &VarState, access: Access, algorithm: u8) -> Option<Conflict> {
    if access.extent != Word::WHOLE {
        return locked(thread, cell, access);
    }
    let Thread { state, placer, .. } = thread;
    let sets = &MEMORY.sets;
    let stamp = |t: &mut _| placer.here(t);
    let mutex = algorithm == Algorithm::FtMutex as u8;
    let outcome = match (mutex, access.mode.writes()) {
        (true, false) => baselines::mutex::read(state, cell, sets, access.extent, stamp),
        (true, true) => baselines::mutex::write(state, cell, sets, access.extent, stamp),
        (false, false) => baselines::cas::read(state, cell, sets, access.extent, stamp),
        (false, true) => baselines::cas::write(state, cell, sets, access.extent, stamp),
    };
    let Some(outcome) = outcome else { return locked(thread, cell, access) };
    thread.rules[outcome.rule as usize] += 1;
    let prior = outcome.race?;
    Some(Conflict { prior, mode: Conflict::mode_of(outcome.rule), byte: 0 })
}
