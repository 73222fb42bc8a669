//! Random scripts of accesses to few and to many bytes, in an order that is fixed: a run is halted at its first race, if there is one, and at no other access. Nothing is recorded, so that the runtime goes
//! its fastest ways: blocks are folded and unfolded, accesses are decided without locks.
//!
//! `DEADHEAT_SEED=7` starts with another seed than usual, `DEADHEAT_RANDOM=1000` runs so many scripts.

#[path = "random/dice.rs"]
mod dice;

use dice::Dice;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const BIN: &str = env!("CARGO_BIN_EXE_deadheat");
const INTERPRETER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/turns/interpreter.c");

/// As in the interpreter. A block of the shadow is 512 bytes.
const BYTES: usize = 4096;
const THREADS: usize = 4;
const LOCKS: usize = 4;
const LENGTH: usize = 400;

#[derive(Clone, Copy)]
enum Act {
    /// Of so many bytes, at every so many, or at once if that is zero.
    Access { writes: bool, at: usize, length: usize, stride: usize },
    /// Takes a mutex and gives it back.
    Lock(usize),
}

#[derive(Clone, Copy)]
struct Line {
    thread: usize,
    act: Act,
}

/// Threads that mostly hand over what they know before they access memory, and mostly go over the same pieces of it.
fn script(dice: &mut Dice) -> Vec<Line> {
    let pieces: Vec<(usize, usize)> = (0..3)
        .map(|_| {
            let from = dice.below(6) * 512 + dice.pick(&[0, 0, 8, 16, 40]);
            (from, (from + 512 * (1 + dice.below(3)) + dice.pick(&[0, 0, 8, 24])).min(BYTES))
        })
        .collect();
    let care = dice.pick(&[4, 20, 100, 1000]);
    let mut lines = Vec::new();
    while lines.len() < LENGTH {
        let thread = dice.below(THREADS);
        if !dice.one_in(care) {
            lines.push(Line { thread, act: Act::Lock(0) });
        } else if dice.one_in(2) {
            lines.push(Line { thread, act: Act::Lock(dice.below(LOCKS)) });
        }
        for _ in 0..1 + dice.below(4) {
            let writes = dice.one_in(2);
            let (from, to) = dice.pick(&pieces);
            let to = to - dice.pick(&[0, 0, 0, 8, 16]);
            let act = match dice.below(8) {
                0 | 1 => {
                    let length = dice.pick(&[1, 2, 4, 8]);
                    let anywhere = from + dice.below(to - from - length);
                    // Where blocks meet, or anywhere.
                    let at =
                        if dice.one_in(2) { anywhere / 512 * 512 + 480 + dice.below(64) } else { anywhere };
                    Act::Access { writes, at: at.min(BYTES - length), length, stride: 0 }
                }
                2..5 => {
                    let stride = dice.pick(&[16, 16, 16, 24, 32]);
                    let at = from + dice.pick(&[0, 8]);
                    Act::Access { writes, at, length: (to - at - 8) / stride * stride + 8, stride }
                }
                _ => Act::Access { writes, at: from, length: to - from, stride: 0 },
            };
            lines.push(Line { thread, act });
        }
        if !dice.one_in(care) {
            lines.push(Line { thread, act: Act::Lock(0) });
        }
    }
    lines
}

/// The first line that races with an earlier one, by the definition: who knows what, and for each byte the last write and the last read of every thread.
fn first_race(lines: &[Line]) -> Option<usize> {
    type Clock = [u32; THREADS];
    let mut clocks: [Clock; THREADS] = std::array::from_fn(|t| std::array::from_fn(|u| (t == u) as u32));
    let mut locks = [Clock::default(); LOCKS];
    let mut reads = vec![Clock::default(); BYTES];
    let mut writes = reads.clone();
    for (i, Line { thread: t, act }) in lines.iter().enumerate() {
        match *act {
            Act::Lock(k) => {
                (0..THREADS).for_each(|u| clocks[*t][u] = clocks[*t][u].max(locks[k][u]));
                locks[k] = clocks[*t];
                clocks[*t][*t] += 1;
            }
            Act::Access { writes: is_write, at, length, stride } => {
                let mut is_race = false;
                for byte in (0..length).filter(|far| stride == 0 || far % stride < 8).map(|far| at + far) {
                    let unknown = |last: &Clock| (0..THREADS).any(|u| last[u] > clocks[*t][u]);
                    is_race |= unknown(&writes[byte]) || is_write && unknown(&reads[byte]);
                    let last = if is_write { &mut writes[byte] } else { &mut reads[byte] };
                    last[*t] = clocks[*t][*t];
                }
                if is_race {
                    return Some(i);
                }
            }
        }
    }
    None
}

fn text(lines: &[Line]) -> String {
    let mut text = String::new();
    for Line { thread, act } in lines {
        let (operation, numbers) = match *act {
            Act::Lock(k) => ('l', [k, 0, 0]),
            Act::Access { writes, at, length, stride } => {
                let is_one = stride == 0 && length <= 8;
                let operation = match (writes, is_one) {
                    (false, true) => 'r',
                    (true, true) => 'w',
                    (false, false) => 'R',
                    (true, false) => 'W',
                };
                (operation, [at, length, stride])
            }
        };
        let [a, b, c] = numbers;
        writeln!(text, "{thread} {operation} {a} {b} {c}").expect("a string takes anything");
    }
    text
}

/// Where the run is halted, or how long it is, and whether a race was reported.
fn run(program: &Path, script: &Path, turn: &Path) -> (usize, bool) {
    std::fs::write(turn, [0; 4]).unwrap();
    let mut command = Command::new(program);
    command.arg(script).arg(turn).env("DEADHEAT_OPTIONS", "halt_on_error=1").env_remove("TSAN_OPTIONS");
    let output = command.stdin(Stdio::null()).output().expect("the program runs");
    let told = String::from_utf8_lossy(&output.stderr);
    let at = std::fs::read(turn).unwrap();
    let at = u32::from_ne_bytes(at[..4].try_into().unwrap()) as usize;
    match output.status.code() {
        Some(0) if told.is_empty() => (at, false),
        Some(66) if told.contains("data race") => (at, true),
        status => panic!("ended with {status:?} at line {at}: {told}"),
    }
}

#[test]
fn a_run_is_halted_at_its_first_race() {
    let setting = |name: &str, usual: u64| {
        std::env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
    };
    let folder = TempDir::new().unwrap();
    let [program, file, turn] = ["interpreter", "script", "turn"].map(|name| folder.path().join(name));
    let mut build = Command::new(BIN);
    build.args(["cc", "-g", "-O1", "-pthread", INTERPRETER, "-o"]).arg(&program);
    assert!(build.env_remove("DEADHEAT_ELIDE").status().expect("deadheat runs").success());
    let seed = setting("DEADHEAT_SEED", 1);
    let (mut racy, mut quiet) = (0, 0);
    for seed in seed..seed + setting("DEADHEAT_RANDOM", 200) {
        let lines = script(&mut Dice::new(seed));
        std::fs::write(&file, text(&lines)).unwrap();
        let expected = first_race(&lines);
        let told = run(&program, &file, &turn);
        if told != (expected.unwrap_or(lines.len()), expected.is_some()) {
            let kept = folder.keep();
            panic!(
                "DEADHEAT_SEED={seed}: the first race is {expected:?}, the run {told:?}; {}",
                kept.display()
            );
        }
        *(if expected.is_some() { &mut racy } else { &mut quiet }) += 1;
    }
    assert!(
        racy > quiet / 4 && quiet > racy / 4,
        "the scripts say little: {racy} with a race, {quiet} without"
    );
}
