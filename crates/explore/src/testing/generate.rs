//! Random small programs.

use super::machine::{Ins, Machine};
use fastrand::Rng;

/// What may be in a program.
#[derive(Clone, Copy)]
pub struct Taste {
    pub threads: u32,
    pub most: u32,
    pub locks: bool,
    pub channels: bool,
    pub branches: bool,
    pub asserts: bool,
    pub wakes: bool,
    pub rendezvous: bool,
}

/// Only what ends in every schedule, without faults: reads, writes, atomics, locks, branches.
pub const PLAIN: Taste = Taste {
    threads: 2,
    most: 4,
    locks: true,
    channels: false,
    branches: true,
    asserts: false,
    wakes: false,
    rendezvous: false,
};

/// A program with two or three threads under a main thread.
pub fn program(rng: &mut Rng, taste: Taste) -> Machine {
    let programs = (0..taste.threads).map(|_| thread(rng, taste)).collect();
    let mut before = Vec::new();
    if taste.channels {
        before.extend([Ins::Make(0, rng.u32(1..3)), Ins::Make(1, 1)]);
    }
    if taste.rendezvous {
        before.push(Ins::Make(2, 0));
    }
    Machine::parallel(programs, before, Vec::new())
}

fn thread(rng: &mut Rng, taste: Taste) -> Vec<Ins> {
    let mut code = Vec::new();
    let mut left = rng.u32(1..=taste.most);
    while left > 0 {
        left -= 1;
        if taste.locks && left > 0 && rng.u32(..4) == 0 {
            let m = rng.u32(..2);
            code.push(Ins::Lock(m));
            if rng.bool() {
                code.push(access(rng));
                left -= 1;
            }
            if left > 1 && rng.u32(..3) == 0 {
                // Nested, in either order: deadlocks.
                code.extend([Ins::Lock(1 - m), access(rng), Ins::Unlock(1 - m)]);
                left -= 1;
            }
            code.push(Ins::Unlock(m));
            continue;
        }
        match rng.u32(..10) {
            0 | 1 if taste.channels => code.push(channel_op(rng)),
            2 if taste.branches && left > 0 => {
                code.extend([Ins::Read(rng.u32(..2)), Ins::SkipUnless(rng.i64(..3), 1), access(rng)]);
                left -= 1;
            }
            3 if taste.asserts => code.extend([Ins::Read(rng.u32(..2)), Ins::AssertNot(rng.i64(1..4))]),
            4 if taste.wakes => {
                code.push(if rng.bool() {
                    Ins::Deschedule
                } else {
                    Ins::MakeRunnable(rng.u32(1..=taste.threads))
                });
            }
            5 | 6 if taste.rendezvous => {
                code.push(if rng.bool() { Ins::Send(2, rng.i64(1..4)) } else { Ins::Receive(2) });
            }
            _ => code.push(access(rng)),
        }
    }
    code
}

fn access(rng: &mut Rng) -> Ins {
    let v = rng.u32(..2);
    match rng.u32(..7) {
        6 => Ins::Store(v, rng.i64(1..3)),
        0 | 1 => Ins::Read(v),
        2 => Ins::Write(v, 1),
        3 => Ins::Set(v, rng.i64(1..3)),
        4 => Ins::Add(v, 1),
        _ if rng.bool() => Ins::Load(v),
        _ => Ins::Store(v, rng.i64(1..3)),
    }
}

fn channel_op(rng: &mut Rng) -> Ins {
    match rng.u32(..9) {
        0..=2 => Ins::Send(rng.u32(..2), rng.i64(1..4)),
        3..=5 => Ins::Receive(rng.u32(..2)),
        6 => Ins::Close(rng.u32(..2)),
        7 => Ins::Select(vec![0, 1]),
        _ => Ins::SelectOrDefault(vec![0, 1]),
    }
}
