//! The still: one SVG with everything in it, the races told in words below the lanes.

use super::Picture;
use super::escape::Escaped;
use super::layout::{BOX, HEADER, Layout, NUMBERS, ROW};
use crate::tell::{Story, why};
use crate::words::{Names, counted, event, number, printable, shorten};
use crate::{Party, Race};
use std::io::{Result, Write};

const MARGIN: u32 = 24;
/// Height of the title and the line below it.
const TITLE: u32 = 64;
/// Height of a line of text below the lanes.
const LINE: u32 = 20;
const STYLE: &str = include_str!("picture.css");

pub(super) fn write(picture: &Picture<'_>, out: &mut dyn Write) -> Result<()> {
    let layout = Layout::new(picture);
    let still =
        Still { picture, layout: &layout, racing: layout.racing(), stories: stories(picture, &layout) };
    still.open(out)?;
    still.lanes(out)?;
    still.edges(out)?;
    still.race_lines(out)?;
    still.events(out)?;
    still.race_numbers(out)?;
    still.race_texts(out)?;
    writeln!(out, "</svg>")
}

struct Still<'a> {
    picture: &'a Picture<'a>,
    layout: &'a Layout<'a>,
    racing: Vec<bool>,
    /// The races in words.
    stories: Vec<RaceText>,
}

/// A race's lines below the lanes.
struct RaceText {
    head: String,
    lines: Vec<String>,
}

/// Characters of explanation in a line.
const TEXT_CHARS: usize = 100;
/// Room for that many in most faces.
const TEXT_WIDTH: u32 = 760;

fn stories(picture: &Picture<'_>, layout: &Layout<'_>) -> Vec<RaceText> {
    let told = |(i, race): (usize, &&Race)| {
        let story = Story { race, names: Names(picture.symbols) };
        let head = shorten(&format!("#{} {}", i + 1, story.headline()), TEXT_CHARS);
        let access = |party: &Party| format!("{}: {}", event(party.event), story.access(party));
        let sentences = [access(&race.prior), access(&race.current), why(race, picture.symbols)];
        let lines = sentences.iter().flat_map(|s| wrap(s)).collect();
        RaceText { head, lines }
    };
    layout.races.iter().enumerate().map(told).collect()
}

/// The sentence in lines, broken between words: SVG does not break lines by itself.
fn wrap(sentence: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in sentence.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= TEXT_CHARS {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

impl Still<'_> {
    /// Left edge of the first lane.
    fn left(&self) -> u32 {
        MARGIN + NUMBERS + self.layout.places_width
    }

    fn lane_x(&self, event: usize) -> u32 {
        self.left() + self.layout.lane_x(self.layout.rows[event].lane)
    }

    fn row_y(&self, event: usize) -> u32 {
        TITLE + HEADER + event as u32 * ROW + ROW / 2
    }

    /// Lower edge of the lanes.
    fn bottom(&self) -> u32 {
        TITLE + HEADER + self.layout.rows.len() as u32 * ROW
    }

    fn size(&self) -> (u32, u32) {
        let lanes = self.left() + self.layout.width() + MARGIN;
        let texts = if self.stories.is_empty() { 0 } else { TEXT_WIDTH };
        let lines: usize = self.stories.iter().map(|s| s.lines.len() + 2).sum();
        (lanes.max(texts).max(360), self.bottom() + lines as u32 * LINE + 2 * MARGIN)
    }

    fn open(&self, out: &mut dyn Write) -> Result<()> {
        let (width, height) = self.size();
        writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" class="picture">"#
        )?;
        let title = shorten(&printable(self.picture.title.into()), TEXT_CHARS);
        writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>", Escaped(&title))?;
        writeln!(
            out,
            r#"<defs><marker id="arrow" class="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5 8 4 0 7.5z"/></marker></defs>"#
        )?;
        writeln!(out, r#"<rect class="paper" width="100%" height="100%"/>"#)?;
        let summary = self.summary();
        writeln!(out, r#"<text class="title" x="{MARGIN}" y="34">{}</text>"#, Escaped(&title))?;
        writeln!(out, r#"<text class="summary" x="{MARGIN}" y="54">{summary}</text>"#)
    }

    fn summary(&self) -> String {
        let threads = counted(self.layout.lanes.len() as u64, "thread", "threads");
        let events = counted(self.layout.rows.len() as u64, "event", "events");
        let races = counted(self.layout.races.len() as u64, "race", "races");
        format!("{threads} · {events} · {races}")
    }

    /// The threads' names, and a line from each thread's first event to its last.
    fn lanes(&self, out: &mut dyn Write) -> Result<()> {
        let (middle, top) = (TITLE + HEADER / 2 + 4, TITLE + HEADER - 8);
        for (i, lane) in self.layout.lanes.iter().enumerate() {
            let x = self.left() + self.layout.lane_x(i as u32);
            let of_lane = |row: &super::layout::Row| row.lane == i as u32;
            let first = self.layout.rows.iter().position(of_lane).unwrap_or(0);
            let last = self.layout.rows.iter().rposition(of_lane).unwrap_or(0);
            writeln!(out, r#"<text class="thread" x="{x}" y="{middle}">{}</text>"#, Escaped(&lane.shown))?;
            writeln!(out, r#"<path class="guide" d="M{x} {top}V{}"/>"#, self.bottom())?;
            writeln!(out, r#"<path class="lane" d="M{x} {}V{}"/>"#, self.row_y(first), self.row_y(last))?;
        }
        Ok(())
    }

    fn edges(&self, out: &mut dyn Write) -> Result<()> {
        for edge in &self.layout.edges {
            let label = printable(edge.label.clone());
            let path = self.line(edge.from, edge.to);
            writeln!(
                out,
                r#"<path class="edge" marker-end="url(#arrow)" d="{path}"><title>{}</title></path>"#,
                Escaped(&label)
            )?;
        }
        Ok(())
    }

    fn race_lines(&self, out: &mut dyn Write) -> Result<()> {
        for race in &self.layout.races {
            let path = self.line(race.prior.event.0 as usize, race.current.event.0 as usize);
            writeln!(out, r#"<path class="race" d="{path}"/>"#)?;
        }
        Ok(())
    }

    fn events(&self, out: &mut dyn Write) -> Result<()> {
        for event in 0..self.layout.rows.len() {
            self.event(out, event)?;
        }
        Ok(())
    }

    fn event(&self, out: &mut dyn Write, event: usize) -> Result<()> {
        let (row, label) = (&self.layout.rows[event], self.layout.label(event));
        let (x, y) = (self.lane_x(event), self.row_y(event));
        let racing = if self.racing[event] { " racing" } else { "" };
        let (class, number) = (label.class.name(), number(event as u64 + 1));
        writeln!(out, r#"<text class="number" x="{}" y="{}">{number}</text>"#, MARGIN + NUMBERS - 20, y + 4)?;
        if let Some(place) = row.place {
            let place = &self.layout.places[place as usize];
            writeln!(
                out,
                r#"<text class="place" x="{}" y="{}">{}</text>"#,
                MARGIN + NUMBERS,
                y + 4,
                Escaped(place)
            )?;
        }
        let (left, top) = (x - label.width / 2, y - BOX / 2);
        let thread = &self.layout.lanes[row.lane as usize].name;
        writeln!(
            out,
            r#"<g class="event {class}{racing}"><title>{} {}</title><rect x="{left}" y="{top}" width="{}" height="{BOX}" rx="6"/><text x="{x}" y="{}">{}</text></g>"#,
            Escaped(thread),
            Escaped(&label.long),
            label.width,
            y + 4,
            Escaped(&label.short)
        )
    }

    /// A red disc with the race's number in the middle of its line.
    fn race_numbers(&self, out: &mut dyn Write) -> Result<()> {
        for (i, race) in self.layout.races.iter().enumerate() {
            let ends = [race.prior.event.0 as usize, race.current.event.0 as usize];
            let x = self.lane_x(ends[0]).midpoint(self.lane_x(ends[1]));
            let y = self.row_y(ends[0]).midpoint(self.row_y(ends[1]));
            writeln!(
                out,
                r#"<g class="badge"><circle cx="{x}" cy="{y}" r="9"/><text x="{x}" y="{}">{}</text></g>"#,
                y + 4,
                i + 1
            )?;
        }
        Ok(())
    }

    fn race_texts(&self, out: &mut dyn Write) -> Result<()> {
        let mut y = self.bottom() + MARGIN;
        for story in &self.stories {
            y += LINE;
            writeln!(out, r#"<text class="race-head" x="{MARGIN}" y="{y}">{}</text>"#, Escaped(&story.head))?;
            for line in &story.lines {
                y += LINE;
                writeln!(out, r#"<text class="race-text" x="{MARGIN}" y="{y}">{}</text>"#, Escaped(line))?;
            }
            y += LINE;
        }
        Ok(())
    }

    /// The path of the line between two events. `draw.js` has the same rule.
    fn line(&self, from: usize, to: usize) -> String {
        let end = |event| End {
            x: self.lane_x(event) as i32,
            y: self.row_y(event) as i32,
            half: self.layout.label(event).width as i32 / 2,
        };
        line(end(from), end(to))
    }
}

/// An event's box as the end of a line: its middle and half its width.
struct End {
    x: i32,
    y: i32,
    half: i32,
}

/// A line between two boxes leaves and arrives horizontally on the sides that face each other; where the lanes are too narrow
/// for that, it goes vertically from the one box to the other.
fn line(from: End, to: End) -> String {
    let (right, down) = ((to.x - from.x).signum(), (to.y - from.y).signum());
    let (x1, x2) = (from.x + right * from.half, to.x - right * to.half);
    let room = (x2 - x1) * right;
    if room >= 16 {
        let (y1, y2, bend) = (from.y, to.y, right * (room / 2).min(60));
        return format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2 - bend);
    }
    let (x1, x2) = (from.x, to.x);
    let (y1, y2) = (from.y + down * BOX as i32 / 2, to.y - down * BOX as i32 / 2);
    let bend = down * ((y2 - y1).abs() / 2).clamp(8, 60);
    format!("M{x1} {y1}C{x1} {} {x2} {} {x2} {y2}", y1 + bend, y2 - bend)
}
