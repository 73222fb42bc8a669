//! Who waits for a lock gives way, and takes it from nobody but those who vanished in a fork. One test: what is said here is said for the whole process.
#![cfg(not(loom))]

use deadheat_online::{Clock, Pair, Slot, VarState, Word, set_alone, set_give_way};
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
}
