//! Where everything goes: lanes, rows, labels and the lines between them, for both forms of the picture.

use super::{Picture, PictureEdge};
use crate::words::{Names, shorten};
use crate::{Race, describe, explain};
use deadheat_clock::Tid;
use deadheat_trace::{Event, Loc, Op};
use std::collections::HashMap;

/// Height of a row.
pub(super) const ROW: u32 = 30;
/// Height of an event's box.
pub(super) const BOX: u32 = 22;
/// Height of the line with the threads' names.
pub(super) const HEADER: u32 = 44;
/// Width of the column with the events' numbers.
pub(super) const NUMBERS: u32 = 68;
/// Longest place shown beside an event, in characters.
const PLACE_CHARS: usize = 18;
/// As much of a thread's name is always shown, however narrow the lanes are otherwise.
const NAME_CHARS: usize = 10;

/// What sort of thing an event is, as far as its looks go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Read,
    Write,
    /// Orders threads: locks, channels, atomics, barriers, ….
    Sync,
    /// Begins or ends a thread.
    Life,
    /// Orders nothing and touches nothing.
    Mark,
}

impl Class {
    fn of(op: &Op) -> Class {
        match op {
            Op::Read(_) => Class::Read,
            Op::Write(_) | Op::Free(_) => Class::Write,
            Op::Fork(_) | Op::Join(_) | Op::Start | Op::Exit => Class::Life,
            Op::Begin(_) | Op::End(_) | Op::Alloc(_) | Op::BarrierMake(..) | Op::ChanMake(..) => Class::Mark,
            _ => Class::Sync,
        }
    }

    /// Its name in the style sheet.
    pub fn name(self) -> &'static str {
        match self {
            Class::Read => "read",
            Class::Write => "write",
            Class::Sync => "sync",
            Class::Life => "life",
            Class::Mark => "mark",
        }
    }
}

/// What stands in an event's box. Many events share one.
pub(super) struct Label {
    pub short: String,
    pub long: String,
    pub class: Class,
    /// Width of the box.
    pub width: u32,
}

/// One event.
pub(super) struct Row {
    pub lane: u32,
    pub label: u32,
    pub place: Option<u32>,
}

/// One thread's name, whole and as much as fits.
pub(super) struct Lane {
    pub name: String,
    pub shown: String,
}

/// The whole picture in numbers. Every index in it is in range, whatever the caller's edges and races said.
pub(super) struct Layout<'a> {
    pub lanes: Vec<Lane>,
    pub lane_width: u32,
    pub labels: Vec<Label>,
    pub places: Vec<String>,
    /// Width of the column with the places; 0 if the trace has none.
    pub places_width: u32,
    pub rows: Vec<Row>,
    /// Edges between different lanes; within a lane program order says it already.
    pub edges: Vec<&'a PictureEdge>,
    pub races: Vec<&'a Race>,
}

impl<'a> Layout<'a> {
    pub fn new(picture: &Picture<'a>) -> Layout<'a> {
        let names = Names(picture.symbols);
        let tids = threads(picture.events);
        let mut tables = Tables::new(names, label_chars(tids.len()));
        let rows: Vec<Row> = picture.events.iter().map(|e| tables.row(e, &tids)).collect();
        let threads: Vec<String> = tids.iter().map(|&t| names.thread(t)).collect();
        let lane_width = lane_width(&tables.labels, &threads);
        let chars = ((lane_width - 14) / 8).max(NAME_CHARS as u32) as usize;
        let lanes = threads.into_iter().map(|name| Lane { shown: shorten(&name, chars), name }).collect();
        let edges = picture.edges.iter().filter(|e| connects(e, &rows)).collect();
        let last = |r: &Race| r.prior.event.0.max(r.current.event.0);
        let races = picture.races.iter().filter(|r| last(r) < rows.len() as u64).collect();
        let places_width = column_width(&tables.places);
        let Tables { labels, places, .. } = tables;
        Layout { lanes, lane_width, labels, places, places_width, rows, edges, races }
    }

    /// Free space before the first lane and after the last, for boxes that are wider than their lane.
    pub fn inset(&self) -> u32 {
        let widest = self.labels.iter().map(|l| l.width).max().unwrap_or(0);
        widest.saturating_sub(self.lane_width) / 2 + 8
    }

    /// The width of all lanes together.
    pub fn width(&self) -> u32 {
        self.lanes.len() as u32 * self.lane_width + 2 * self.inset()
    }

    /// The middle of a lane, from the left.
    pub fn lane_x(&self, lane: u32) -> u32 {
        self.inset() + lane * self.lane_width + self.lane_width / 2
    }

    pub fn label(&self, event: usize) -> &Label {
        &self.labels[self.rows[event].label as usize]
    }

    /// Which events take part in a race.
    pub fn racing(&self) -> Vec<bool> {
        let mut racing = vec![false; self.rows.len()];
        for race in &self.races {
            racing[race.prior.event.0 as usize] = true;
            racing[race.current.event.0 as usize] = true;
        }
        racing
    }
}

/// The threads that have an event, in the order of their numbers.
fn threads(events: &[Event]) -> Vec<Tid> {
    let mut tids: Vec<Tid> = events.iter().map(|e| e.tid).collect();
    tids.sort_unstable();
    tids.dedup();
    tids
}

fn connects(edge: &PictureEdge, rows: &[Row]) -> bool {
    match (rows.get(edge.from), rows.get(edge.to)) {
        (Some(a), Some(b)) => a.lane != b.lane,
        _ => false,
    }
}

/// How many characters of a label are shown: the more lanes, the narrower they have to be.
fn label_chars(lanes: usize) -> usize {
    match lanes {
        0..=4 => 26,
        5..=12 => 14,
        _ => 12,
    }
}

/// No two boxes share a row, so lanes may be narrower than boxes: all that a box must not touch is its neighbours' lines.
fn lane_width(labels: &[Label], names: &[String]) -> u32 {
    let label = labels.iter().map(|l| l.width).max().unwrap_or(0);
    let name = names.iter().map(|n| text_width(&shorten(n, NAME_CHARS)) + 14).max().unwrap_or(0);
    let width = match names.len() {
        0..=4 => (label + 34).max(170),
        5..=8 => label * 4 / 5 + 16,
        _ => label / 2 + 16,
    };
    width.max(name)
}

fn column_width(places: &[String]) -> u32 {
    places.iter().map(|p| text_width(p) + 12).max().unwrap_or(0)
}

/// Width of text in the 12-pixel fixed-width face, in which a character is 0.6 em wide; others than ASCII may be twice that.
fn text_width(text: &str) -> u32 {
    let units: u32 = text.chars().map(|c| if c.is_ascii() || c == '…' { 1 } else { 2 }).sum();
    (units * 29).div_ceil(4)
}

/// Labels and places, each kept once.
struct Tables<'a> {
    names: Names<'a>,
    chars: usize,
    labels: Vec<Label>,
    label_of: HashMap<Op, u32>,
    places: Vec<String>,
    place_of: HashMap<Loc, Option<u32>>,
}

impl<'a> Tables<'a> {
    fn new(names: Names<'a>, chars: usize) -> Tables<'a> {
        let (labels, label_of, places, place_of) = Default::default();
        Tables { names, chars, labels, label_of, places, place_of }
    }

    fn row(&mut self, event: &Event, tids: &[Tid]) -> Row {
        let lane = tids.binary_search(&event.tid).expect("every event's thread has a lane") as u32;
        Row { lane, label: self.label(&event.op), place: self.place(event.loc) }
    }

    fn label(&mut self, op: &Op) -> u32 {
        let Tables { names, chars, labels, .. } = self;
        *self.label_of.entry(*op).or_insert_with(|| {
            let short = shorten(&describe(op, names.0), *chars);
            let width = text_width(&short) + 20;
            labels.push(Label { short, long: explain(op, names.0), class: Class::of(op), width });
            labels.len() as u32 - 1
        })
    }

    fn place(&mut self, loc: Loc) -> Option<u32> {
        let Tables { names, places, .. } = self;
        *self.place_of.entry(loc).or_insert_with(|| {
            let place = shorten(&names.place(loc)?, PLACE_CHARS);
            places.push(place);
            Some(places.len() as u32 - 1)
        })
    }
}
