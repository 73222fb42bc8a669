//! Results as tables: slowdowns and memory with geometric means, percentages of rules, the bars, CSV.

use super::rules::{self, Rules};
use crate::measure::Usage;
use std::collections::BTreeMap;

/// A program under a tool, and the native run that it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub usage: Usage,
    pub native: Usage,
    /// Data races that the tool reported in a small run.
    pub races: usize,
}

/// What a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Processor,
    Wall,
    Memory,
}

impl Quantity {
    fn of(self, usage: Usage) -> f64 {
        match self {
            Quantity::Processor => usage.seconds,
            Quantity::Wall => usage.wall,
            Quantity::Memory => usage.peak_mib,
        }
    }
}

impl Cell {
    /// How many times as much as without the tool.
    pub fn ratio(&self, quantity: Quantity) -> f64 {
        quantity.of(self.usage) / quantity.of(self.native)
    }
}

/// All results.
#[derive(Default)]
pub struct Results {
    /// Rows and columns, in order.
    pub programs: Vec<&'static str>,
    pub tools: Vec<&'static str>,
    pub cells: BTreeMap<(&'static str, &'static str), Cell>,
    /// Of v2.
    pub rules: BTreeMap<&'static str, Rules>,
    /// Checks that the programs made, by program and tool.
    pub checks: BTreeMap<(&'static str, &'static str), u64>,
}

/// The geometric mean; none of nothing.
pub fn geomean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".into(), |value| format!("{value:.digits$}"))
}

/// Rows under a head, every column as wide as its widest entry, the first to the left.
pub fn aligned(head: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let all: Vec<&Vec<String>> = std::iter::once(&head).chain(&rows).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| match i {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ") + "\n"
    };
    all.into_iter().map(line).collect()
}

impl Results {
    fn cell(&self, program: &'static str, tool: &'static str) -> Option<&Cell> {
        self.cells.get(&(program, tool))
    }

    /// Whether that tool has any result.
    pub fn has(&self, tool: &str) -> bool {
        self.cells.keys().any(|(_, of)| *of == tool)
    }

    /// The geometric mean of a tool's ratios, over the programs that it has.
    pub fn mean(&self, tool: &'static str, quantity: Quantity) -> Option<f64> {
        geomean(self.programs.iter().filter_map(|p| Some(self.cell(p, tool)?.ratio(quantity))))
    }

    /// One tool against another: the geometric mean over the programs that both have, and how many these are.
    pub fn against(
        &self,
        tool: &'static str,
        other: &'static str,
        quantity: Quantity,
    ) -> Option<(f64, usize)> {
        let both = |p: &&'static str| {
            Some(self.cell(p, tool)?.ratio(quantity) / self.cell(p, other)?.ratio(quantity))
        };
        let ratios: Vec<f64> = self.programs.iter().filter_map(both).collect();
        Some((geomean(ratios.iter().copied())?, ratios.len()))
    }

    /// Ratios to native, one row per program; the column of native has its own value.
    pub fn ratios(&self, quantity: Quantity) -> String {
        let unit = if quantity == Quantity::Memory { "native, MiB" } else { "native, s" };
        let others: Vec<&'static str> = self.tools.iter().copied().filter(|&t| t != "native").collect();
        let head = ["program", unit].into_iter().chain(others.iter().copied()).map(String::from).collect();
        let mut rows = Vec::new();
        for program in &self.programs {
            let native = self.cell(program, "native").map(|cell| quantity.of(cell.usage));
            let ratio = |t: &&'static str| number(self.cell(program, t).map(|cell| cell.ratio(quantity)), 2);
            let start = [program.to_string(), number(native, 2)];
            rows.push(start.into_iter().chain(others.iter().map(ratio)).collect());
        }
        let start = ["geometric mean", ""].map(String::from);
        rows.push(
            start.into_iter().chain(others.iter().map(|t| number(self.mean(t, quantity), 2))).collect(),
        );
        let count =
            |t: &&'static str| self.programs.iter().filter(|p| self.cell(p, t).is_some()).count().to_string();
        let start = ["programs", ""].map(String::from);
        rows.push(start.into_iter().chain(others.iter().map(count)).collect());
        aligned(head, rows)
    }

    /// How many data races each tool reported.
    pub fn races(&self) -> String {
        let head = ["program"].into_iter().chain(self.tools.iter().copied()).map(String::from).collect();
        let row = |program: &&'static str| {
            let races =
                |t: &&'static str| self.cell(program, t).map_or("-".into(), |cell| cell.races.to_string());
            std::iter::once(program.to_string()).chain(self.tools.iter().map(races)).collect()
        };
        aligned(head, self.programs.iter().map(row).collect())
    }

    /// The percentages of the rules, the most frequent first; none if nothing was counted.
    pub fn rule_percentages(&self) -> Option<String> {
        let mean = |name: &str| {
            let all: Vec<f64> = self.rules.values().map(|rules| rules.percent(name).unwrap_or(0.0)).collect();
            all.iter().sum::<f64>() / all.len() as f64
        };
        let mut names = rules::names(self.rules.values());
        names.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        if names.is_empty() {
            return None;
        }
        let head = std::iter::once("rule, %".to_string())
            .chain(self.rules.keys().map(|p| p.to_string()))
            .chain(["mean".to_string()])
            .collect();
        let row = |name: &String| {
            let percent = self.rules.values().map(|rules| number(rules.percent(name), 1));
            std::iter::once(name.clone()).chain(percent).chain([number(Some(mean(name)), 1)]).collect()
        };
        Some(aligned(head, names.iter().map(row).collect()))
    }

    /// The tool's checks of a program as a share of those without check elimination.
    fn share_of_checks(&self, program: &'static str, tool: &'static str) -> Option<f64> {
        let (own, all) = (self.checks.get(&(program, tool))?, self.checks.get(&(program, "v2"))?);
        // A program that made no check any more counts as if it had made one.
        (*all > 0).then(|| (*own).max(1) as f64 / *all as f64)
    }

    /// The checks that programs made: how many without check elimination, and shares of that with it. None if nothing was counted.
    pub fn check_shares(&self) -> Option<String> {
        let tools: Vec<&'static str> =
            self.tools.iter().copied().filter(|t| self.checks.keys().any(|(_, of)| of == t)).collect();
        let others = || tools.iter().copied().filter(|t| *t != "v2");
        let programs: Vec<&'static str> = self
            .programs
            .iter()
            .copied()
            .filter(|p| others().any(|t| self.share_of_checks(p, t).is_some()))
            .collect();
        if programs.is_empty() {
            return None;
        }
        let head = ["program", "v2"].into_iter().chain(others()).map(String::from).collect();
        let row = |program: &&'static str| {
            let all = self.checks.get(&(*program, "v2")).map_or("-".into(), u64::to_string);
            let share = |tool| number(self.share_of_checks(program, tool), 3);
            [program.to_string(), all].into_iter().chain(others().map(share)).collect()
        };
        let mean = |tool| number(geomean(programs.iter().filter_map(|p| self.share_of_checks(p, tool))), 3);
        let last = ["geometric mean", ""].map(String::from).into_iter().chain(others().map(mean)).collect();
        Some(aligned(head, programs.iter().map(row).chain([last]).collect()))
    }

    /// The form of RedCard's Table 2: what check elimination does to the slowdown, and to the memory, which is the program's and the shadow's together. None without a level of it beside v2.
    pub fn eliding(&self) -> Option<String> {
        const LEVELS: [&str; 3] = ["elide-redundant", "elide-coalesce", "elide-inline"];
        let levels: Vec<&'static str> = LEVELS.into_iter().filter(|level| self.has(level)).collect();
        let last = *levels.last().filter(|_| self.has("v2"))?;
        let share = |program, quantity| {
            Some(self.cell(program, last)?.ratio(quantity) / self.cell(program, "v2")?.ratio(quantity))
        };
        let slowdowns = || std::iter::once("v2").chain(levels.iter().copied());
        let head = ["program", "base, s"].into_iter().chain(slowdowns());
        let head =
            head.chain(["last / v2", "memory of v2, MiB", "last, % of it"]).map(String::from).collect();
        let programs =
            || self.programs.iter().filter(|program| share(program, Quantity::Processor).is_some());
        let row = |program: &&'static str| {
            let base = self.cell(program, "native").map(|cell| cell.usage.seconds);
            let slowdown =
                |tool| number(self.cell(program, tool).map(|cell| cell.ratio(Quantity::Processor)), 2);
            let memory = self.cell(program, "v2").map(|cell| cell.usage.peak_mib);
            let less = share(program, Quantity::Memory).map(|share| 100.0 * share);
            let faster = number(share(program, Quantity::Processor), 2);
            let start = [program.to_string(), number(base, 2)].into_iter().chain(slowdowns().map(slowdown));
            start.chain([faster, number(memory, 0), number(less, 0)]).collect()
        };
        let mean = |of: &dyn Fn(&'static str) -> Option<f64>| geomean(programs().filter_map(|p| of(p)));
        let means = slowdowns()
            .map(|tool| number(mean(&|p| Some(self.cell(p, tool)?.ratio(Quantity::Processor))), 2));
        let end = [
            number(mean(&|p| share(p, Quantity::Processor)), 2),
            String::new(),
            number(mean(&|p| share(p, Quantity::Memory)).map(|share| 100.0 * share), 0),
        ];
        let means = ["geometric mean", ""].map(String::from).into_iter().chain(means).chain(end).collect();
        Some(aligned(head, programs().map(row).chain([means]).collect()))
    }

    /// Everything, one line per program and tool.
    pub fn csv(&self) -> String {
        let mut csv = "program,tool,cpu_s,wall_s,peak_mib,native_cpu_s,native_wall_s,native_peak_mib,\
                       slowdown_cpu,slowdown_wall,memory_ratio,races\n"
            .to_string();
        for program in &self.programs {
            for (tool, cell) in self.tools.iter().filter_map(|t| Some((t, self.cell(program, t)?))) {
                let (usage, native) = (cell.usage, cell.native);
                let values =
                    [usage.seconds, usage.wall, usage.peak_mib, native.seconds, native.wall, native.peak_mib];
                let ratios = [Quantity::Processor, Quantity::Wall, Quantity::Memory].map(|q| cell.ratio(q));
                let numbers: String =
                    values.iter().chain(&ratios).map(|value| format!(",{value:.4}")).collect();
                csv += &format!("{program},{tool}{numbers},{}\n", cell.races);
            }
        }
        csv
    }

    /// The counters, one line per program and rule.
    pub fn rules_csv(&self) -> String {
        let mut csv = "program,rule,count,percent\n".to_string();
        for (program, rules) in &self.rules {
            for (name, count) in &rules.0 {
                csv += &format!("{program},{name},{count},{:.4}\n", rules.percent(name).unwrap_or(0.0));
            }
        }
        csv
    }

    /// The bars, and whether each is met. Time is the processor's, which neighbours disturb least; on the clock it is what the papers' tables have, but servers wait there for their clients.
    pub fn bars(&self) -> String {
        let bars = [
            ("time of v2 / clang TSan", "v2", "clang-tsan", Quantity::Processor, 1.0),
            ("the same, on the clock", "v2", "clang-tsan", Quantity::Wall, 1.0),
            ("time of v2 / v1", "v2", "v1", Quantity::Processor, 0.6),
            ("time of v2 / FT-CAS", "v2", "ft-cas", Quantity::Processor, 1.0),
            ("time of v2 / FT-Mutex", "v2", "ft-mutex", Quantity::Processor, 1.0),
            ("memory of v2 / clang TSan", "v2", "clang-tsan", Quantity::Memory, 0.7),
            ("time of --elide / without", "elide-inline", "v2", Quantity::Processor, 0.6),
        ];
        let row = |(name, tool, other, quantity, most): (&str, &'static str, &'static str, Quantity, f64)| {
            let found = self.against(tool, other, quantity);
            let verdict = match found {
                None => "not measured",
                Some((ratio, _)) if ratio <= most => "met",
                Some(_) => "MISSED",
            };
            let programs = found.map_or(0, |(_, programs)| programs);
            let ratio = number(found.map(|(ratio, _)| ratio), 2);
            vec![name.to_string(), ratio, format!("{most:.1}"), programs.to_string(), verdict.to_string()]
        };
        let head = ["geometric mean of", "ratio", "at most", "programs", ""].map(String::from).to_vec();
        aligned(head, bars.into_iter().map(row).chain([self.bar_of_checks()]).collect())
    }

    fn bar_of_checks(&self) -> Vec<String> {
        const MOST: f64 = 0.6;
        let shares: Vec<f64> =
            self.programs.iter().filter_map(|p| self.share_of_checks(p, "elide-inline")).collect();
        let mean = geomean(shares.iter().copied());
        let verdict = mean.map_or("not measured", |mean| if mean <= MOST { "met" } else { "MISSED" });
        let count = shares.len().to_string();
        vec![
            "checks of --elide / without".into(),
            number(mean, 2),
            format!("{MOST:.1}"),
            count,
            verdict.into(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(seconds: f64, peak_mib: f64) -> Cell {
        let native = Usage { seconds: 0.5, wall: 0.25, peak_mib: 2.0 };
        Cell { usage: Usage { seconds, wall: seconds / 2.0, peak_mib }, native, races: 0 }
    }

    fn results() -> Results {
        let mut results = Results {
            programs: vec!["sor", "pigz"],
            tools: vec!["native", "clang-tsan", "v2"],
            ..Results::default()
        };
        for (program, tool, seconds, peak) in [
            ("sor", "native", 0.5, 2.0),
            ("sor", "clang-tsan", 1.0, 10.0),
            ("sor", "v2", 0.5, 5.0),
            ("pigz", "native", 0.5, 2.0),
            ("pigz", "clang-tsan", 4.0, 40.0),
        ] {
            results.cells.insert((program, tool), cell(seconds, peak));
        }
        results
    }

    #[test]
    fn the_geometric_mean() {
        assert_eq!(geomean([]), None);
        assert!((geomean([2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
        assert!((geomean([3.0]).unwrap() - 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_table_of_ratios() {
        let expected = "\
program         native, s  clang-tsan    v2
sor                  0.50        2.00  1.00
pigz                 0.50        8.00     -
geometric mean                   4.00  1.00
programs                            2     1
";
        assert_eq!(results().ratios(Quantity::Processor), expected);
        assert!(results().ratios(Quantity::Memory).contains("native, MiB"));
    }

    #[test]
    fn tools_are_compared_where_both_have_a_result() {
        assert_eq!(results().against("v2", "clang-tsan", Quantity::Processor), Some((0.5, 1)));
        assert_eq!(results().against("v2", "v1", Quantity::Processor), None);
        let bars = results().bars();
        assert!(bars.lines().nth(1).unwrap().ends_with("0.50      1.0         1           met"), "{bars}");
        assert!(bars.contains("not measured"));
    }

    #[test]
    fn csv_has_a_line_per_result() {
        let csv = results().csv();
        assert_eq!(csv.lines().count(), 6);
        assert!(csv.contains("sor,v2,0.5000,0.2500,5.0000,0.5000,0.2500,2.0000,1.0000,1.0000,2.5000,0\n"));
    }

    #[test]
    fn eliding_in_the_form_of_the_paper() {
        let mut results = results();
        assert_eq!(results.eliding(), None);
        results.tools.extend(["elide-coalesce", "elide-inline"]);
        results.cells.insert(("sor", "elide-coalesce"), cell(0.4, 4.0));
        results.cells.insert(("sor", "elide-inline"), cell(0.25, 4.5));
        let expected = "\
program         base, s    v2  elide-coalesce  elide-inline  last / v2  memory of v2, MiB  last, % of it
sor                0.50  1.00            0.80          0.50       0.50                  5             90
geometric mean           1.00            0.80          0.50       0.50                                90
";
        assert_eq!(results.eliding().unwrap(), expected);
    }

    #[test]
    fn checks_are_shares() {
        let mut results = results();
        assert_eq!(results.check_shares(), None);
        results.tools.push("elide-inline");
        results.checks.extend([(("sor", "v2"), 200), (("sor", "elide-inline"), 50), (("pigz", "v2"), 7)]);
        let expected = "program          v2  elide-inline\nsor             200         0.250\ngeometric mean              0.250\n";
        assert_eq!(results.check_shares().unwrap(), expected);
        assert!(results.bars().lines().last().unwrap().ends_with("0.25      0.6         1           met"));
    }

    #[test]
    fn rules_are_sorted_by_share() {
        let mut results = results();
        assert_eq!(results.rule_percentages(), None);
        results.rules.insert("sor", Rules(vec![("[A]".into(), 1), ("[B]".into(), 3)]));
        assert_eq!(
            results.rule_percentages().unwrap(),
            "rule, %   sor  mean\n[B]      75.0  75.0\n[A]      25.0  25.0\n"
        );
        assert!(results.rules_csv().contains("sor,[B],3,75.0000\n"));
    }
}
