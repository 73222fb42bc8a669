//! All traces of up to six core operations over two threads, two variables, one lock and one channel.
//!
//! Two traces that differ only in the names of the threads or of the variables are the same trace: the first thread to
//! move is thread 0 and the first variable touched is variable 0. The channel is made beforehand, once with each capacity, by a third
//! thread that does nothing else. Checking a trace checks its prefixes: the event of every first race is compared.

mod common;

use common::judge_all;
use deadheat_trace::{ChanId, Event, Feasibility, Loc, LockId, Op, Span, Tid};

const LENGTH: usize = 6;
const MAIN: Tid = Tid(2);

fn operations(tid: Tid) -> Vec<Op> {
    let other = Tid(1 - tid.0);
    vec![
        Op::Read(Span::named(0)),
        Op::Read(Span::named(1)),
        Op::Write(Span::named(0)),
        Op::Write(Span::named(1)),
        Op::Acquire(LockId(0)),
        Op::Release(LockId(0)),
        Op::Send(ChanId(0)),
        Op::Receive(ChanId(0)),
        Op::Fork(other),
        Op::Join(other),
    ]
}

/// The events that a trace may go on with, up to renaming.
fn candidates(trace: &[Event]) -> impl Iterator<Item = Event> + use<> {
    let moved = trace.iter().any(|e| e.tid != MAIN);
    let touched = trace.iter().any(|e| e.op.access().is_some());
    let threads = if moved { vec![Tid(0), Tid(1)] } else { vec![Tid(0)] };
    let step = |tid| operations(tid).into_iter().map(move |op| Event { op, tid, loc: Loc::NONE });
    threads
        .into_iter()
        .flat_map(step)
        .filter(move |e| touched || e.op.access().is_none_or(|a| a.span == Span::named(0)))
}

fn extend(trace: &mut Vec<Event>, feasible: &Feasibility, left: usize, judged: &mut u64) {
    let mut longest = true;
    if left > 0 {
        for event in candidates(trace) {
            let mut next = feasible.clone();
            if next.check(&event).is_ok() {
                longest = false;
                trace.push(event);
                extend(trace, &next, left - 1, judged);
                trace.pop();
            }
        }
    }
    if longest {
        *judged += 1;
        judge_all(trace).unwrap_or_else(|e| panic!("{e}\n{trace:#?}"));
    }
}

fn all_with_capacity(capacity: u32) -> u64 {
    let make = Event { op: Op::ChanMake(ChanId(0), capacity), tid: MAIN, loc: Loc::NONE };
    let mut feasible = Feasibility::default();
    feasible.check(&make).expect("a channel can be made");
    let mut judged = 0;
    extend(&mut vec![make], &feasible, LENGTH, &mut judged);
    judged
}

#[test]
fn unbuffered() {
    assert!(all_with_capacity(0) > 100_000);
}

#[test]
fn buffered() {
    assert!(all_with_capacity(1) > 100_000);
}
