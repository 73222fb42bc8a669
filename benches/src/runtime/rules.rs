//! How often each rule of VerifiedFT applied: the counters that the runtime prints, as percentages.

/// The counters of one run, in the order in which they were printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(pub Vec<(String, u64)>);

impl Rules {
    /// Reads the lines `deadheat: rule NAME COUNT` out of what the program and the runtime said.
    pub fn parse(said: &str) -> Rules {
        let counter = |line: &str| {
            let (name, count) = line.strip_prefix("deadheat: rule ")?.rsplit_once(' ')?;
            Some((name.trim().to_string(), count.parse().ok()?))
        };
        Rules(said.lines().filter_map(counter).collect())
    }

    /// The share of that rule among all, in percent.
    pub fn percent(&self, name: &str) -> Option<f64> {
        let all: u64 = self.0.iter().map(|(_, count)| count).sum();
        let (_, count) = self.0.iter().find(|(n, _)| n == name)?;
        (all > 0).then(|| 100.0 * *count as f64 / all as f64)
    }
}

/// How many checks the program made: the line `deadheat: checks COUNT`.
pub fn checks(said: &str) -> Option<u64> {
    said.lines().find_map(|line| line.strip_prefix("deadheat: checks ")?.parse().ok())
}

/// The names of all rules in all of them, each once.
pub fn names<'a>(all: impl IntoIterator<Item = &'a Rules>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in all.into_iter().flat_map(|rules| &rules.0) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_among_other_words() {
        let said = "hello\ndeadheat: rule [Read Same Epoch] 60\ndeadheat: rule nonsense\ndeadheat: rule [Write Shared] 20\n\
                    deadheat: rule [Read Share] 0\n";
        let rules = Rules::parse(said);
        assert_eq!(names([&rules]), ["[Read Same Epoch]", "[Write Shared]", "[Read Share]"]);
        assert_eq!(rules.percent("[Read Same Epoch]"), Some(75.0));
        assert_eq!(rules.percent("[Read Share]"), Some(0.0));
        assert_eq!(rules.percent("[Other]"), None);
        assert_eq!((checks(said), checks("x\ndeadheat: checks 12\ny")), (None, Some(12)));
    }

    #[test]
    fn nothing_counted_is_no_percentage() {
        let rules = Rules::parse("deadheat: rule [Read Share] 0");
        assert_eq!(rules.percent("[Read Share]"), None);
        assert!(names([&Rules::default()]).is_empty());
    }
}
