//! `deadheat trace show`: a trace as a picture.

use crate::args::{Detector, Show, is_standard};
use crate::failure::{Failure, Outcome};
use crate::output::{Target, note, print};
use crate::run::{Flow, Run};
use deadheat_report::counted;
use deadheat_report::{Picture, PictureEdge, Race, Tally};
use deadheat_trace::{Event, EventId};
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Races are drawn up to here, each pair of places once.
const RACES_DRAWN: usize = 500;

/// Draws the trace's beginning with its races.
pub fn run(args: &Show) -> Result<Outcome, Failure> {
    let (target, kind) = (target(args), PictureKind::of(args));
    let limit = kind.events(args)?;
    let mut run = Run::open(&args.input)?;
    let Detector(detector) = args.choice.detector;
    let mut detector = detector.build(args.choice.gc_every);
    let (mut events, mut tally) = (Vec::<Event>::new(), Tally::new(RACES_DRAWN));
    let mut cut = Flow::Go;
    run.each(&mut |_, more, _| {
        // The picture numbers its events itself: a repaired trace is drawn as repaired.
        let take = more.len().min(limit - events.len());
        let first = EventId(events.len() as u64);
        detector.on_events(first, &more[..take], &mut |race| tally.add(race));
        events.extend_from_slice(&more[..take]);
        cut = if take < more.len() { Flow::Stop } else { Flow::Go };
        cut
    })?;
    detector.finish(&mut |race| tally.add(race)).map_err(|e| Failure::at(run.name(), e))?;
    let races: Vec<Race> = tally.reports().iter().map(|r| r.race.clone()).collect();
    let edges = PictureEdge::of_trace(&events, run.symbols());
    let picture =
        Picture { title: run.name(), events: &events, symbols: run.symbols(), edges: &edges, races: &races };
    draw(args, &target, kind, &picture)?;
    if cut == Flow::Stop {
        note(&format!(
            "note: only the first {} are drawn; {}",
            counted(events.len() as u64, "event", "events"),
            kind.room()
        ));
    }
    tell(args, &target, events.len() as u64, races.len() as u64)?;
    Ok(Outcome::of(races.len() as u64))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PictureKind {
    /// An HTML page, which can be walked through.
    Page,
    /// An SVG.
    Still,
}

impl PictureKind {
    fn of(args: &Show) -> PictureKind {
        let is_svg = args.output.as_ref().and_then(|p| p.extension()).is_some_and(|e| e == "svg");
        if is_svg { PictureKind::Still } else { PictureKind::Page }
    }

    /// How to see more of the trace.
    fn room(self) -> &'static str {
        match self {
            PictureKind::Page => "--events draws more",
            PictureKind::Still => "an HTML page has room for more",
        }
    }

    /// How many events to draw.
    fn events(self, args: &Show) -> Result<usize, Failure> {
        const PAGE: usize = 20_000;
        let wanted = args.events.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        match (self, wanted) {
            (PictureKind::Still, Some(n)) if n > Picture::SVG_LIMIT => {
                let limit = Picture::SVG_LIMIT;
                Err(Failure::new(format!(
                    "{n} events are too many for an SVG (at most {limit}); draw an HTML page"
                )))
            }
            (PictureKind::Still, _) => Ok(wanted.unwrap_or(Picture::SVG_LIMIT)),
            (PictureKind::Page, _) => Ok(wanted.unwrap_or(PAGE)),
        }
    }
}

/// Where the picture goes: where the user says, or to the trace's own name in the working directory.
fn target(args: &Show) -> Target {
    let name = || match args.input.file.file_stem() {
        Some(stem) if !is_standard(&args.input.file) => PathBuf::from(stem).with_extension("html"),
        _ => PathBuf::from("trace.html"),
    };
    args.output.as_deref().map_or_else(|| Target::File(name()), |path: &Path| Target::new(Some(path)))
}

fn draw(args: &Show, target: &Target, kind: PictureKind, picture: &Picture<'_>) -> Result<(), Failure> {
    let (sink, fate) = target.create(Some(&args.input.file))?;
    let mut out = BufWriter::new(sink);
    let drawn = match kind {
        PictureKind::Still => picture.write_svg(&mut out),
        PictureKind::Page => picture.write_html(&mut out),
    };
    drawn.and_then(|()| out.flush()).map_err(|e| fate.failure(e))?;
    fate.finish();
    Ok(())
}

/// Says what was drawn: on standard error if the picture itself goes to standard output.
fn tell(args: &Show, target: &Target, events: u64, races: u64) -> Result<(), Failure> {
    let name = target.name();
    let text = match args.json {
        true => json!({ "output": (*target != Target::Standard).then_some(&name), "events": events, "races": races }).to_string(),
        false => format!("Drew {} and {}: open {name} in a browser.", counted(events, "event", "events"), counted(races, "race", "races")),
    };
    match target {
        Target::File(_) => print(&format!("{text}\n")),
        Target::Standard if args.json => {
            note(&text);
            Ok(())
        }
        Target::Standard => Ok(()),
    }
}
