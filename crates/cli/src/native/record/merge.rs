//! The events of all threads in the order in which they happened: each thread's are in order, so it is a merge.

use super::raw::{Raw, Run};
use crate::failure::{Failure, plain};
use deadheat_finding::raw::{Decoder, Event, Item, UNIT};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Units that are read at once: with ten thousand threads, the buffers still fit.
const AT_ONCE: u64 = 256;

/// The merged events.
pub struct Merge<'a> {
    file: &'a File,
    threads: Vec<Cursor<'a>>,
    /// The next event of each thread: first by stamp, then by place in the file.
    next: BinaryHeap<Reverse<(u64, u64, usize)>>,
    failed: bool,
}

/// How far one thread has been read.
struct Cursor<'a> {
    decoder: Decoder,
    runs: std::slice::Iter<'a, Run>,
    /// What is left of a run.
    run: Run,
    /// Units that were read, and the place of the first that is not used yet.
    buffer: Vec<u8>,
    used: usize,
    /// The next event and its place.
    head: Option<(Event, u64)>,
}

impl<'a> Merge<'a> {
    /// Starts with the first event of each thread.
    pub fn new(raw: &'a Raw) -> Result<Merge<'a>, Failure> {
        let mut merge =
            Merge { file: &raw.file, threads: Vec::new(), next: BinaryHeap::new(), failed: false };
        for runs in raw.runs.values() {
            let decoder = Decoder::new(&raw.header).map_err(damaged)?;
            let run = Run { start: 0, units: 0 };
            let cursor = Cursor { decoder, runs: runs.iter(), run, buffer: Vec::new(), used: 0, head: None };
            merge.threads.push(cursor);
            merge.advance(merge.threads.len() - 1)?;
        }
        Ok(merge)
    }

    fn advance(&mut self, thread: usize) -> Result<Option<Event>, Failure> {
        let cursor = &mut self.threads[thread];
        let before = cursor.head.take();
        cursor.head = cursor.read(self.file)?;
        if let Some((event, at)) = &cursor.head {
            self.next.push(Reverse((event.stamp, *at, thread)));
        }
        Ok(before.map(|(event, _)| event))
    }
}

impl Iterator for Merge<'_> {
    type Item = Result<Event, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let Reverse((_, _, thread)) = self.next.pop()?;
        let event = self.advance(thread).transpose();
        self.failed = matches!(event, Some(Err(_)));
        event
    }
}

impl Cursor<'_> {
    /// The next event of this thread.
    fn read(&mut self, file: &File) -> Result<Option<(Event, u64)>, Failure> {
        loop {
            let Some(unit) = self.buffer[self.used..].first_chunk() else {
                match self.refill(file)? {
                    true => continue,
                    false => return Ok(None),
                }
            };
            let left = (self.buffer.len() - self.used) / UNIT;
            let item = self.decoder.unit(unit).map_err(damaged)?;
            self.used += UNIT;
            if let Some(Item::Event(event)) = item {
                return Ok(Some((event, self.run.start - left as u64)));
            }
        }
    }

    /// Reads on; false at the end.
    fn refill(&mut self, file: &File) -> Result<bool, Failure> {
        if self.run.units == 0 {
            let Some(run) = self.runs.next() else { return Ok(false) };
            self.run = *run;
        }
        let units = self.run.units.min(AT_ONCE);
        self.buffer.resize(units as usize * UNIT, 0);
        self.used = 0;
        let read = file.read_exact_at(&mut self.buffer, self.run.start * UNIT as u64);
        read.map_err(|e| Failure::new(format!("cannot read the record of the run: {}", plain(&e))))?;
        self.run = Run { start: self.run.start + units, units: self.run.units - units };
        Ok(true)
    }
}

/// The file was read before: it has changed since.
fn damaged(error: impl std::fmt::Display) -> Failure {
    Failure::at("the record of the run", error)
}
