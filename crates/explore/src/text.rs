//! Schedules as people write them.

use crate::schedule::Schedule;
use deadheat_trace::Tid;
use std::fmt;
use std::str::FromStr;

/// A word of a schedule that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadSchedule(String);

impl fmt::Display for BadSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no part of a schedule: write 1 or 1*5 (thread 1, five operations), or 1*5#2 (going way 2 first)",
            self.0
        )
    }
}

impl std::error::Error for BadSchedule {}

impl FromStr for Schedule {
    type Err = BadSchedule;

    /// Reads `0*4 1*2#1 0`: thread, number of operations (1 if not said), and the way of the first one where there are several. `×` is as good as `*`.
    fn from_str(text: &str) -> Result<Schedule, BadSchedule> {
        let mut schedule = Schedule::default();
        for word in text.split([' ', ',', '\n', '\t', '\r']).filter(|word| !word.is_empty()) {
            let bad = || BadSchedule(word.chars().take(40).collect());
            let (rest, choice) = word.split_once('#').unwrap_or((word, "0"));
            let (tid, operations) = rest.split_once(['*', '×']).unwrap_or((rest, "1"));
            let number = |text: &str| text.parse::<u32>().map_err(|_| bad());
            schedule.push(Tid(number(tid)?), number(operations)?, number(choice)?);
        }
        Ok(schedule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_as_they_are_written() {
        let schedule: Schedule = "0*4, 1 2×3#1\n1*0".parse().expect("a schedule");
        assert_eq!(schedule.to_string(), "0×4 1×1 2×3#1 1×0");
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
        for bad in ["x", "1*", "*2", "1*2*3", "1#", "-1", "99999999999"] {
            let error = bad.parse::<Schedule>().expect_err(bad).to_string();
            assert!(error.contains("is no part of a schedule"), "{error}");
        }
        assert_eq!("".parse(), Ok(Schedule::default()));
    }
}
