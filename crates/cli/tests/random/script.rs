//! Random scripts for the interpreter: what each thread does, so that nobody ever waits for ever.

use crate::dice::Dice;
use std::fmt::Write;

/// Bytes of memory that the threads of a script meet in; the interpreter has more behind them.
const BYTES: usize = 24;
const LOCKS: usize = 3;

/// How carefully a script goes about shared memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Not at all.
    Wild,
    /// Most accesses under one mutex.
    Locked,
    /// Messages through atomics.
    Messages,
    /// Rounds between barriers, each thread on its own bytes in most of them.
    Rounds,
}

#[derive(Clone, Copy)]
struct Op {
    code: char,
    size: usize,
    at: usize,
    arg: usize,
}

/// One script: what each thread does. The first `workers` are started by the main thread, the others by one of these.
pub struct Script {
    workers: usize,
    threads: Vec<Vec<Op>>,
}

impl Script {
    pub fn random(dice: &mut Dice) -> Script {
        let manner = dice.pick(&[Manner::Wild, Manner::Locked, Manner::Messages, Manner::Rounds]);
        let (workers, children) = (2 + dice.below(2), dice.below(3));
        let rounds = if manner == Manner::Rounds || dice.one_in(4) { 1 + dice.below(3) } else { 0 };
        let mut threads: Vec<Vec<Op>> = Vec::new();
        for worker in 0..workers {
            let mut ops = Vec::new();
            for round in 0..=rounds {
                let length = 2 + dice.below(if rounds > 0 { 4 } else { 9 });
                body(dice, manner, (worker + round) % workers, length, &mut ops);
                if round < rounds {
                    ops.push(op('B', 0));
                }
            }
            threads.push(ops);
        }
        for child in workers..workers + children {
            let mut ops = Vec::new();
            let length = 1 + dice.below(6);
            body(dice, manner, child, length, &mut ops);
            threads.push(ops);
            let parent = dice.below(workers);
            adopt(dice, &mut threads[parent], child);
        }
        Script { workers, threads }
    }

    /// As the interpreter reads it.
    pub fn write(&self, out: &mut String) {
        let _ = write!(out, "\n{} {}", self.threads.len(), self.workers);
        for ops in &self.threads {
            let _ = write!(out, "\n{}", ops.len());
            for op in ops {
                let _ = write!(out, "  {} {} {} {}", op.code as u32, op.size, op.at, op.arg);
            }
        }
    }
}

/// Several scripts in one file.
pub fn file(scripts: &[Script]) -> String {
    let mut text = scripts.len().to_string();
    scripts.iter().for_each(|script| script.write(&mut text));
    text
}

fn op(code: char, arg: usize) -> Op {
    Op { code, size: 1, at: 0, arg }
}

/// The thread starts the child somewhere and waits for it later, where it holds nothing.
fn adopt(dice: &mut Dice, ops: &mut Vec<Op>, child: usize) {
    let mut depth = 0;
    let mut free = vec![0];
    for (i, op) in ops.iter().enumerate() {
        depth += match op.code {
            'l' | 't' | 'i' | 'j' => 1,
            'u' | 'T' | 'k' => -1,
            _ => 0,
        };
        if depth == 0 {
            free.push(i + 1);
        }
    }
    let (a, b) = (dice.below(free.len()), dice.below(free.len()));
    ops.insert(free[a.max(b)], op('J', child));
    ops.insert(free[a.min(b)], op('F', child));
}

/// Some steps, in which all locks that are taken are given back: in ascending order, since others may want them too.
fn body(dice: &mut Dice, manner: Manner, own: usize, length: usize, ops: &mut Vec<Op>) {
    for _ in 0..length {
        if dice.one_in(3) {
            ops.push(op('y', dice.below(9)));
        }
        match manner {
            Manner::Locked if !dice.one_in(30) => {
                let (take, give) = dice.pick(&[('l', 'u'), ('l', 'u'), ('l', 'u'), ('j', 'k')]);
                // Two locks for the same bytes would be none.
                let lock = usize::from(take == 'j');
                ops.push(op(take, lock));
                place(dice, lock * 12, 12, ops);
                ops.push(op(give, lock));
            }
            Manner::Messages if dice.one_in(2) => message(dice, ops),
            Manner::Rounds if !dice.one_in(30) => {
                let at = own * 8 + dice.below(5);
                ops.push(Op { code: dice.pick(&['r', 'w']), size: 4, at: at.min(BYTES - 4), arg: 0 });
            }
            _ => anything(dice, ops),
        }
    }
}

/// An access, sometimes two, under that lock and perhaps one more.
fn guarded(dice: &mut Dice, lock: usize, ops: &mut Vec<Op>) {
    let (take, give) = dice.pick(&[('l', 'u'), ('l', 'u'), ('t', 'T'), ('i', 'k'), ('j', 'k')]);
    ops.push(op(take, lock));
    access(dice, ops);
    if lock + 1 < LOCKS && dice.one_in(3) {
        guarded(dice, lock + 1, ops);
    }
    ops.push(op(give, lock));
}

fn message(dice: &mut Dice, ops: &mut Vec<Op>) {
    // Two flags at fixed places, and data around them.
    let at = dice.pick(&[0, 8]);
    let code = dice.pick(&['a', 'a', 'b', 'b', 'd', 'e', 'f']);
    match code {
        'f' => ops.push(op('f', dice.below(4))),
        _ => ops.push(Op { code, size: 4, at, arg: dice.below(5) }),
    }
    if dice.one_in(2) {
        ops.push(Op {
            code: dice.pick(&['r', 'w']),
            size: dice.pick(&[1, 2, 4]),
            at: 4 + dice.below(4),
            arg: 0,
        });
    }
}

fn access(dice: &mut Dice, ops: &mut Vec<Op>) {
    place(dice, 0, BYTES + 8, ops);
}

/// An access to some of those bytes, aligned more often than not.
fn place(dice: &mut Dice, start: usize, bytes: usize, ops: &mut Vec<Op>) {
    let size = dice.pick(&[1, 2, 4, 4, 8]);
    let at = start + dice.below(bytes - size + 1);
    let aligned = at / size * size;
    let at = if dice.one_in(3) || aligned < start { at } else { aligned };
    ops.push(Op { code: dice.pick(&['r', 'r', 'w']), size, at, arg: 0 });
}

fn anything(dice: &mut Dice, ops: &mut Vec<Op>) {
    match dice.below(16) {
        0..=5 => access(dice, ops),
        6 => ops.push(Op { code: dice.pick(&['R', 'W']), size: 16, at: dice.pick(&[0, 16]), arg: 0 }),
        7 => ops.push(Op { code: 'c', size: 1 + dice.below(11), at: dice.below(12), arg: dice.below(12) }),
        8 => ops.push(Op { code: 's', size: 1 + dice.below(15), at: dice.below(BYTES), arg: 0 }),
        9 => {
            let size = dice.pick(&[1, 2, 4, 8]);
            let at = dice.below(BYTES / size) * size;
            ops.push(Op { code: dice.pick(&['a', 'b', 'd', 'e']), size, at, arg: dice.below(5) });
        }
        10 => message(dice, ops),
        11 => {
            let lock = dice.below(LOCKS);
            guarded(dice, lock, ops);
        }
        12 => ops.push(op(dice.pick(&['p', 'q']), 0)),
        // The second block is never written to by those who found it, since somebody may free it meanwhile.
        13 => ops.push(op('m', dice.below(2))),
        14 => {
            ops.push(Op { code: 'h', size: dice.pick(&[1, 2, 4, 8]), at: dice.below(32), arg: dice.below(2) })
        }
        _ => match dice.below(3) {
            0 => ops.push(op('x', 1)),
            _ => ops.push(Op { code: 'H', size: dice.pick(&[1, 2, 4, 8]), at: dice.below(32), arg: 0 }),
        },
    }
}
