//! The last word of a search, as text and as JSON.

use super::tell::{Story, Teller};
use crate::failure::Failure;
use deadheat_explore::{Progress, SpaceState, Verdict, Why};
use deadheat_lang::Machine;
use deadheat_report::counted;
use serde_json::json;
use std::fmt::Write;

/// Spaces beyond these, and those that were never begun, are only counted.
const MOST_SPACES: usize = 12;

/// What was explored and what came of it.
pub fn text(
    teller: &Teller<'_>,
    progress: &Progress,
    verdict: &Verdict,
    stories: &[Story],
    machine: &Machine,
) -> String {
    let mut out = String::new();
    for story in stories {
        out.push_str(&teller.tell(story));
        out.push('\n');
    }
    let _ = writeln!(out, "{} under {}", runs(progress), spaces(progress));
    let begun = progress.spaces.iter().enumerate().filter(|(_, space)| space.runs > 0);
    let told = begun.clone().count().min(MOST_SPACES);
    for (n, space) in begun.take(MOST_SPACES) {
        let points: Vec<String> = space.sites.iter().map(|site| teller.short_place(*site, machine)).collect();
        let points = match (space.everywhere, points.is_empty()) {
            (true, _) => "every access".to_owned(),
            (false, true) => "synchronisation only".to_owned(),
            (false, false) => points.join(", "),
        };
        let state = match space.state {
            SpaceState::Waiting => "not begun",
            SpaceState::Begun => "not finished",
            SpaceState::Complete => "complete",
            SpaceState::Retired => "part of a larger one",
        };
        let _ =
            writeln!(out, "  {:>3}  {:>12}  {state:<20}  preempting at {points}", n + 1, grouped(space.runs));
    }
    if progress.spaces.len() > told {
        let _ = writeln!(out, "  … and {} that were not begun, or not needed", progress.spaces.len() - told);
    }
    if progress.recycled > 0 {
        let pairs = counted(progress.recycled, "pair", "pairs");
        let _ = writeln!(
            out,
            "{pairs} of places dropped: their memory was freed and handed out again in between."
        );
    }
    let _ = writeln!(out, "{}", last_word(verdict, stories.len()));
    out
}

fn runs(progress: &Progress) -> String {
    let seconds = progress.time.as_secs_f64();
    let rate = progress.runs as f64 / seconds.max(1e-9);
    let rate = if seconds > 0.5 { format!(", {} a second", grouped(rate as u64)) } else { String::new() };
    format!("{} in {seconds:.1} s{rate},", counted(progress.runs, "schedule", "schedules"))
}

fn spaces(progress: &Progress) -> String {
    counted(progress.spaces.len() as u64, "set of preemption points:", "sets of preemption points:")
}

/// The verdict in a sentence.
fn last_word(verdict: &Verdict, bugs: usize) -> String {
    let found = counted(bugs as u64, "bug", "bugs");
    match verdict {
        Verdict::Verified => {
            let green = anstyle::AnsiColor::Green.on_default().bold();
            format!(
                "{green}All schedules verified{green:#}: no bug. (docs/exploring.md says what this means.)"
            )
        }
        Verdict::Bugs { complete: true } => format!("{found} found; all schedules were covered."),
        Verdict::Bugs { complete: false } => format!("{found} found; not all schedules were tried."),
        Verdict::Incomplete(why) => format!("No bug found, but nothing is verified: {}.", reason(*why)),
    }
}

fn reason(why: Why) -> &'static str {
    match why {
        Why::Stopped => "the search was stopped",
        Why::Time => "the time was up",
        Why::Runs => "the number of runs was used up",
        Why::Memory => "the memory was used up",
        Why::Bounded => "only schedules with few preemptions were tried",
        Why::Random => "schedules were chosen at random",
        Why::Fixed => "threads were switched at these points only",
        Why::Diverged => "the program did not do the same when run again (please report this)",
    }
}

/// Digits in groups of three.
pub fn grouped(n: u64) -> String {
    indicatif::HumanCount(n).to_string()
}

/// The same for programs.
pub fn json(
    teller: &Teller<'_>,
    progress: &Progress,
    verdict: &Verdict,
    stories: &[Story],
    machine: &Machine,
) -> Result<String, Failure> {
    let spaces: Vec<_> = progress
        .spaces
        .iter()
        .map(|space| {
            json!({
                "points": space.sites.iter().map(|site| teller.place(*site, machine)).collect::<Vec<_>>(),
                "everywhere": space.everywhere,
                "state": format!("{:?}", space.state).to_lowercase(),
                "runs": space.runs,
                "redundant": space.redundant,
            })
        })
        .collect();
    let (word, why) = match verdict {
        Verdict::Verified => ("verified", None),
        Verdict::Bugs { .. } => ("bugs", None),
        Verdict::Incomplete(why) => ("incomplete", Some(reason(*why))),
    };
    let result = json!({
        "program": teller.source.name,
        "verdict": word,
        "why": why,
        "all_schedules": matches!(verdict, Verdict::Verified | Verdict::Bugs { complete: true }),
        "runs": progress.runs,
        "seconds": progress.time.as_secs_f64(),
        "spaces": spaces,
        "recycled": progress.recycled,
        "bugs": stories,
    });
    serde_json::to_string_pretty(&result).map(|s| s + "\n").map_err(|e| Failure::new(e.to_string()))
}
