//! The live display of a search: which state space, how many schedules, how fast, how long still.

use deadheat_explore::{Progress, SpaceState};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Searches shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(700);
/// Where nobody looks at a terminal, a line goes to the log this often.
const LOG_EVERY: Duration = Duration::from_secs(30);

/// Shows how far the search is.
pub struct Display {
    started: Instant,
    bar: Option<ProgressBar>,
    terminal: bool,
    logged: Instant,
}

impl Display {
    pub fn new() -> Display {
        let now = Instant::now();
        Display { started: now, bar: None, terminal: std::io::stderr().is_terminal(), logged: now }
    }

    /// How it stands now.
    pub fn show(&mut self, progress: &Progress) {
        if self.started.elapsed() < PATIENCE {
            return;
        }
        let line = line(progress);
        if self.terminal {
            self.bar.get_or_insert_with(spinner).set_message(line);
        } else if self.logged.elapsed() >= LOG_EVERY {
            self.logged = Instant::now();
            crate::output::note(&line);
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(
        ProgressStyle::with_template("{spinner} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// `space 3 of 5 · 12,345 schedules of about 60,000 · 410,000 a second · about 2 min left · 1 bug so far`
fn line(progress: &Progress) -> String {
    let seconds = progress.time.as_secs_f64().max(1e-3);
    let rate = progress.runs as f64 / seconds;
    let begun = progress.spaces.iter().filter(|s| s.state == SpaceState::Begun).count().max(1);
    let at = (progress.done() + begun).min(progress.spaces.len());
    let mut parts = vec![format!("space {at} of {}", progress.spaces.len())];
    let runs = HumanCount(progress.runs);
    parts.push(match progress.left {
        Some(left) if left.is_finite() => {
            format!("{runs} schedules, about {} to go", HumanCount(left.min(1e18) as u64))
        }
        _ => format!("{runs} schedules"),
    });
    parts.push(format!("{} a second", HumanCount(rate as u64)));
    if let Some(left) = progress.left.filter(|left| left.is_finite() && rate > 0.0) {
        parts.push(format!("{} left", duration(left / rate)));
    }
    if progress.bugs > 0 {
        parts.push(format!("{} so far", deadheat_report::counted(progress.bugs as u64, "bug", "bugs")));
    }
    parts.join(" · ")
}

/// About how long that is.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("about {s:.0} s"),
        s if s < 6_000.0 => format!("about {:.0} min", s / 60.0),
        s if s < 200_000.0 => format!("about {:.0} h", s / 3600.0),
        s if s < 3e8 => format!("about {:.0} days", s / 86_400.0),
        _ => "more than ten years".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_are_said_as_people_say_them() {
        let said = [0.2, 75.0, 600.0, 7200.0, 864_000.0, 1e12].map(duration);
        let expected =
            ["about 0 s", "about 75 s", "about 10 min", "about 2 h", "about 10 days", "more than ten years"];
        assert_eq!(said, expected);
    }
}
