//! A progress bar with rate and time left, once work takes more than a second and somebody is looking.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows how far the work is.
pub struct Progress {
    started: Instant,
    /// All there is to do, if that is known.
    total: Option<u64>,
    bar: Option<ProgressBar>,
    visible: bool,
}

impl Progress {
    /// Work of that size, in whatever unit [`at`](Self::at) counts.
    pub fn new(total: Option<u64>) -> Progress {
        let visible = std::io::stderr().is_terminal();
        Progress { started: Instant::now(), total: total.filter(|n| *n > 0), bar: None, visible }
    }

    /// `done` of the total and `events` events are done. Cheap enough for every batch.
    pub fn at(&mut self, done: u64, events: u64) {
        if !self.visible || self.started.elapsed() < PATIENCE {
            return;
        }
        let (total, started) = (self.total, self.started);
        let bar = self.bar.get_or_insert_with(|| bar(total, started));
        bar.set_position(done);
        let rate = events as f64 / self.started.elapsed().as_secs_f64();
        bar.set_message(format!("{} events, {} a second", HumanCount(events), HumanCount(rate as u64)));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

fn bar(total: Option<u64>, started: Instant) -> ProgressBar {
    let (bar, template) = match total {
        Some(n) => (ProgressBar::new(n), "{bar:30.cyan/dim} {percent:>3} %  {msg}, {left} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
    };
    // From the share done so far: steadier than the bar's own guess, which looks at the last few steps only.
    let left = move |state: &ProgressState, w: &mut dyn std::fmt::Write| {
        let share = f64::from(state.fraction()).max(1e-9);
        let left = started.elapsed().as_secs_f64() * (1.0 - share) / share;
        let _ = write!(w, "{left:.0} s");
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(style.with_key("left", left));
    bar
}
