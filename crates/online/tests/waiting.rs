//! Who waits for a lock gives way, and takes it from nobody but those who vanished in a fork. One test: what is said here is said for the whole process.
#![cfg(not(loom))]

use deadheat_online::{Clock, Pair, Slot, VarState, Word, set_alone, set_give_way, set_unfold};
use std::sync::atomic::{AtomicU32, Ordering};

static X: VarState = VarState::new();
static WAYS: AtomicU32 = AtomicU32::new(0);
static UNLOCKED_AT: AtomicU32 = AtomicU32::new(0);

const IS: Pair = Pair { w: Word::new(Slot(1), Clock(2), 3), r: Word::new(Slot(4), Clock(5), 6) };

/// The only other thing that happens while somebody waits.
fn give_way() {
    let ways = WAYS.fetch_add(1, Ordering::Relaxed) + 1;
    assert!(ways < 1000, "it waits for ever");
    if ways == UNLOCKED_AT.load(Ordering::Relaxed) {
        X.unlock(IS.w);
    }
}

/// How often who locks the variable has to give way, if its holder unlocks it then.
fn ways_until_locked(unlocked_at: u32) -> u32 {
    WAYS.store(0, Ordering::Relaxed);
    UNLOCKED_AT.store(unlocked_at, Ordering::Relaxed);
    assert_eq!(X.lock(), IS);
    assert_eq!(X.load_w(), Word(IS.w.0 | Word::LOCK));
    WAYS.load(Ordering::Relaxed)
}

static BUSY_FOR: AtomicU32 = AtomicU32::new(0);
static ASKED: AtomicU32 = AtomicU32::new(0);

/// Somebody is busy with the variable for a while.
fn unfold(var: &VarState, anyway: bool) -> bool {
    let asked = ASKED.fetch_add(1, Ordering::Relaxed);
    assert!(var.load_w().is_folded() && asked < 100_000, "it asks for ever");
    let is_done = anyway || asked >= BUSY_FOR.load(Ordering::Relaxed);
    if is_done {
        var.unlock(IS.w);
    }
    is_done
}

/// How often who locks the variable, which is told with others, has to ask for it, and to give way.
fn asked_until_locked(busy_for: u32) -> (u32, u32) {
    ASKED.store(0, Ordering::Relaxed);
    BUSY_FOR.store(busy_for, Ordering::Relaxed);
    X.unlock(Word(Word::FOLDED));
    let ways = ways_until_locked(0);
    (ASKED.load(Ordering::Relaxed), ways)
}

#[test]
fn waiting() {
    set_give_way(give_way);
    X.lock();
    X.set_r(IS.r);
    X.unlock(IS.w);
    assert_eq!(ways_until_locked(0), 0, "it is not locked");
    set_alone(true);
    assert_eq!(ways_until_locked(0), 16, "1024 looks, and it is taken from who is not there");
    assert_eq!(ways_until_locked(1), 1, "an unlock is still waited for");
    set_alone(false);
    assert_eq!(ways_until_locked(20), 20, "however long it takes");
    // Not before: nothing was told together with others so far, so nobody asks.
    set_unfold(unfold);
    assert_eq!(asked_until_locked(0), (1, 0));
    assert_eq!(asked_until_locked(2000), (2001, 31), "however long somebody is busy");
    set_alone(true);
    assert_eq!(asked_until_locked(2000), (1026, 16), "1025 times, and then in spite of who is not there");
    assert_eq!(asked_until_locked(700), (701, 10));
    set_alone(false);
}
