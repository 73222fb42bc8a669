//! The picture as compact JSON for the page's script: parallel arrays of numbers, and each text once.

use super::layout::{self, Layout};
use super::{Picture, PictureEdge};
use crate::tell::{Story, why};
use crate::words::{Names, printable};
use deadheat_trace::{End, Event};
use serde::Serialize;
use std::collections::HashMap;

/// Everything the script knows. The field names are the script's.
#[derive(Serialize)]
pub(super) struct Data {
    title: String,
    size: Size,
    /// Name and shortened name of each thread.
    lanes: Vec<(String, String)>,
    /// Short form, long form, class and width of each label.
    labels: Vec<(String, String, &'static str, u32)>,
    places: Vec<String>,
    /// Of each event its lane, its label, and its place plus one (0 is none).
    events: [Vec<u32>; 3],
    /// Of each edge from, to, its text, and its [`ports`].
    edges: [Vec<u32>; 4],
    /// The texts of the edges.
    reasons: Vec<String>,
    races: Vec<RaceData>,
}

#[derive(Serialize)]
struct Size {
    row: u32,
    #[serde(rename = "box")]
    box_height: u32,
    lane: u32,
    inset: u32,
    numbers: u32,
    places: u32,
}

#[derive(Serialize)]
struct RaceData {
    prior: u64,
    current: u64,
    head: String,
    first: String,
    then: String,
    why: String,
}

impl Data {
    pub fn new(picture: &Picture<'_>, layout: &Layout<'_>) -> Data {
        let column = |f: fn(&layout::Row) -> u32| layout.rows.iter().map(f).collect();
        let label = |l: &layout::Label| (l.short.clone(), l.long.clone(), l.class.name(), l.width);
        let (edges, reasons) = edges(picture, layout);
        Data {
            title: printable(picture.title.into()),
            size: Size {
                row: layout::ROW,
                box_height: layout::BOX,
                lane: layout.lane_width,
                inset: layout.inset(),
                numbers: layout::NUMBERS,
                places: layout.places_width,
            },
            lanes: layout.lanes.iter().map(|l| (l.name.clone(), l.shown.clone())).collect(),
            labels: layout.labels.iter().map(label).collect(),
            places: layout.places.clone(),
            events: [column(|r| r.lane), column(|r| r.label), column(|r| r.place.map_or(0, |p| p + 1))],
            edges,
            reasons,
            races: races(picture, layout),
        }
    }
}

/// The edges as columns, and the texts they share.
fn edges(picture: &Picture<'_>, layout: &Layout<'_>) -> ([Vec<u32>; 4], Vec<String>) {
    let mut columns: [Vec<u32>; 4] = Default::default();
    let mut reasons = Vec::new();
    let mut index = HashMap::new();
    for edge in &layout.edges {
        let reason = *index.entry(edge.label.as_str()).or_insert_with(|| {
            reasons.push(printable(edge.label.clone()));
            reasons.len() as u32 - 1
        });
        let row = [edge.from as u32, edge.to as u32, reason, ports(edge, picture.events)];
        columns.iter_mut().zip(row).for_each(|(column, n)| column.push(n));
    }
    (columns, reasons)
}

/// The ends an edge hangs at: bit 0 if it leaves the completion of its source, bit 1 if it arrives at the start of its target.
fn ports(edge: &PictureEdge, events: &[Event]) -> u32 {
    u32::from(edge.leaves(events) == End::Completion) | u32::from(edge.arrives(events) == End::Start) << 1
}

fn races(picture: &Picture<'_>, layout: &Layout<'_>) -> Vec<RaceData> {
    let told = |race| {
        let story = Story { race, names: Names(picture.symbols) };
        RaceData {
            prior: race.prior.event.0,
            current: race.current.event.0,
            head: story.headline(),
            first: story.access(&race.prior),
            then: story.access(&race.current),
            why: why(race, picture.symbols),
        }
    };
    layout.races.iter().copied().map(told).collect()
}
