//! W and R replaced together, as one 128-bit value: what FT-CAS needs and the language does not offer.
//!
//! On x86-64 the instruction is `cmpxchg16b` (every processor since 2006 has it). Mixing it with 64-bit accesses of the halves is beyond Rust's memory model,
//! hence the assembly; the processor orders locked instructions and plain accesses of the same line. Elsewhere, and under loom, the variable's lock makes the
//! two words one: others may then see the variable locked for a moment, which they must cope with anyway.

use crate::var::{Pair, VarState};

/// Replaces `old` by `new`, and says whether it could: not so if the variable holds something else or is locked. A full barrier.
#[inline]
pub fn replace(var: &VarState, old: Pair, new: Pair) -> bool {
    debug_assert!(!old.w.is_locked(), "the old value is an unlocked one");
    #[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
    return by_instruction(var, old, new);
    #[cfg(not(all(target_arch = "x86_64", not(loom), not(miri))))]
    by_lock(var, old, new)
}

#[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
#[inline]
fn by_instruction(var: &VarState, old: Pair, new: Pair) -> bool {
    let done: u8;
    // SAFETY: a VarState is 16 bytes aligned to 16, W before R, all of it atomic. LLVM keeps rbx for itself: it is put back, and no operand is in it.
    unsafe {
        core::arch::asm!(
            "xchg rsi, rbx",
            "lock cmpxchg16b xmmword ptr [rdi]",
            "sete r8b",
            "mov rbx, rsi",
            in("rdi") core::ptr::from_ref(var),
            inout("rsi") new.w.0 => _,
            in("rcx") new.r.0,
            inout("rax") old.w.0 => _,
            inout("rdx") old.r.0 => _,
            out("r8b") done,
            options(nostack),
        );
    }
    done != 0
}

/// The same under the variable's lock.
#[cfg(any(test, not(all(target_arch = "x86_64", not(loom), not(miri)))))]
fn by_lock(var: &VarState, old: Pair, new: Pair) -> bool {
    if var.try_lock(old.w).is_err() {
        return false;
    }
    let same = var.r_of_locked() == old.r;
    if same && new.r != old.r {
        var.set_r(new.r);
    }
    var.unlock(if same { new.w } else { old.w });
    same
}

#[cfg(all(test, not(loom)))]
mod tests {
    extern crate std;
    use super::*;
    use crate::word::{Clock, Slot, Word};

    type Replace = fn(&VarState, Pair, Pair) -> bool;

    fn both_ways() -> std::vec::Vec<Replace> {
        std::vec![replace, by_lock]
    }

    fn word(slot: u32, clock: u64) -> Word {
        Word::new(Slot(slot), Clock(clock), Word::WHOLE)
    }

    #[test]
    fn either_both_words_are_replaced_or_none() {
        for replace in both_ways() {
            let var = VarState::new();
            let (a, b) = (Pair { w: word(1, 2), r: word(3, 4) }, Pair { w: word(5, 6), r: word(7, 8) });
            assert!(replace(&var, Pair::default(), a));
            assert!(!replace(&var, Pair { r: word(7, 7), ..a }, b), "R differs");
            assert!(!replace(&var, Pair { w: word(5, 5), ..a }, b), "W differs");
            assert_eq!((var.load_w(), var.load_r()), (a.w, a.r));
            assert!(replace(&var, a, b));
            assert_eq!((var.load_w(), var.load_r()), (b.w, b.r));
            var.lock();
            assert!(!replace(&var, b, a), "locked");
            var.unlock(b.w);
            assert!(replace(&var, b, a));
        }
    }

    /// Threads count in both words, half of them by the other way and a third by the lock: the words stay equal and no step is lost.
    #[test]
    fn no_update_is_lost() {
        const STEPS: u64 = 20_000;
        let var = VarState::new();
        let next = |p: Pair| Pair { w: Word(p.w.0 + 1), r: Word(p.r.0 + 1) };
        std::thread::scope(|scope| {
            for replace in both_ways() {
                let var = &var;
                scope.spawn(move || {
                    for _ in 0..STEPS {
                        loop {
                            let seen = Pair { w: var.load_w(), r: var.load_r() };
                            if !seen.w.is_locked() && replace(var, seen, next(seen)) {
                                assert_eq!(seen.w.0, seen.r.0, "a torn pair was replaced");
                                break;
                            }
                            std::thread::yield_now();
                        }
                    }
                });
            }
            scope.spawn(|| {
                for _ in 0..STEPS {
                    let new = next(var.lock());
                    var.set_r(new.r);
                    var.unlock(new.w);
                }
            });
        });
        assert_eq!((var.load_w().0, var.load_r().0), (3 * STEPS, 3 * STEPS));
    }
}
