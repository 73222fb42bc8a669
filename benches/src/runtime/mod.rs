//! `bench runtime`: what race detection costs real programs, tool by tool, measured in one interleaved run.

mod build;
mod chart;
pub mod compile;
mod input;
mod memcached;
mod options;
mod programs;
mod publish;
mod rules;
mod run;
mod servers;
mod sources;
mod table;
mod tools;

use build::Builder;
use options::Options;
use programs::{Kind, PROGRAMS, Program, Scale};
use rules::Rules;
use run::{Outcome, Runner};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use table::{Cell, Quantity, Results};
use tools::{Compilers, Purpose, TOOL_NAMES, Tool};

pub use sources::Sources;
pub use tools::{Build, compilers};

/// How long one run may take, and one under valgrind.
const LIMIT: Duration = Duration::from_secs(180);
const VALGRIND_LIMIT: Duration = Duration::from_secs(60);

/// The counters of rules are those of this algorithm.
const COUNTED: &str = "v2";

/// Runs the benchmark with that binary: results go into one folder, builds and inputs stay in the other.
pub fn run(deadheat: &Path, out: &Path, cache: &Path, options: &[&str]) -> Result<(), Box<dyn Error>> {
    let options = Options::parse(options)?;
    fs::create_dir_all(out)?;
    fs::create_dir_all(cache)?;
    let (deadheat, cache) = (fs::canonicalize(deadheat).unwrap_or(deadheat.into()), fs::canonicalize(cache)?);
    let mut bench = Bench::new(options, deadheat, &cache)?;
    for program in PROGRAMS {
        if bench.options.wants_program(program.name) {
            bench.program(&program);
            // After each, so that an interrupted run is not lost.
            publish::files(&bench, out)?;
        }
    }
    println!("\n{}", publish::text(&bench));
    println!("Tables as text and CSV and pictures as SVG are in {}.", out.display());
    if bench.broken { Err("some runs were wrong; see the notes above".into()) } else { Ok(()) }
}

struct Bench {
    options: Options,
    deadheat: PathBuf,
    /// For each build its compilers, or what is missing.
    compilers: Vec<(Build, Compilers)>,
    tools: Vec<Tool>,
    sources: Sources,
    runner: Runner,
    results: Results,
    /// What was left out and why.
    notes: Vec<String>,
    /// A run gave a wrong output or crashed.
    broken: bool,
}

impl Bench {
    fn new(options: Options, deadheat: PathBuf, cache: &Path) -> Result<Bench, String> {
        let sources = Sources::new(cache);
        let builder = Builder { cache: cache.into(), sources: sources.unpacked.clone() };
        let runner = Runner { builder, scratch: cache.join("scratch"), inputs: cache.join("inputs") };
        let mut bench = Bench {
            options,
            deadheat,
            compilers: Vec::new(),
            tools: Vec::new(),
            sources,
            runner,
            results: Results::default(),
            notes: Vec::new(),
            broken: false,
        };
        bench.find_tools()?;
        Ok(bench)
    }

    /// Finds out which tools there are. Without a native compiler there is nothing to do.
    fn find_tools(&mut self) -> Result<(), String> {
        for build in Build::ALL {
            match tools::compilers(build, &self.deadheat) {
                Ok(compilers) => self.compilers.push((build, compilers)),
                Err(missing) if build == Build::Native => return Err(missing),
                Err(missing) => self.note(format!("{} is left out: {missing}", build.folder())),
            }
        }
        let has_valgrind = tools::has_valgrind();
        if !has_valgrind {
            self.note("Helgrind and DRD are left out: there is no valgrind".into());
        }
        let wanted = TOOL_NAMES.into_iter().filter(|name| self.options.wants_tool(name)).map(Tool::named);
        let there = |tool: &Tool| {
            self.compilers.iter().any(|(b, _)| *b == tool.build) && (tool.valgrind.is_none() || has_valgrind)
        };
        self.tools = wanted.filter(there).collect();
        Ok(())
    }

    fn note(&mut self, note: String) {
        eprintln!("note: {note}");
        self.notes.push(note);
    }

    fn wrong(&mut self, note: String) {
        self.broken = true;
        self.note(note);
    }

    /// Builds and measures one program under all tools.
    fn program(&mut self, program: &Program) {
        for package in program.packages {
            if let Err(e) = self.sources.fetch(package) {
                return self.note(format!("{} is left out: {e}", program.name));
            }
        }
        let tools = self.built_tools(program);
        if !tools.iter().any(|tool| tool.name == "native") {
            return;
        }
        let tools = self.trials(program, tools);
        self.results.programs.push(program.name);
        self.rounds(program, &tools);
        self.valgrind(program, &tools);
        for tool in tools.iter().filter(|t| t.name == COUNTED || matches!(t.build, Build::Elided(_))) {
            self.count(program, tool);
        }
        self.results.tools =
            self.tools.iter().map(|tool| tool.name).filter(|tool| self.results.has(tool)).collect();
        self.progress(program);
    }

    /// The tools whose build of the program succeeds.
    fn built_tools(&mut self, program: &Program) -> Vec<Tool> {
        let mut built = Vec::new();
        for (build, compilers) in self.compilers.clone() {
            let tools: Vec<Tool> = self.tools.iter().filter(|tool| tool.build == build).copied().collect();
            if tools.is_empty() {
                continue;
            }
            let runtime = build.is_ours().then_some(self.deadheat.as_path());
            match self.runner.builder.build(program, build, &compilers, runtime) {
                Ok(()) => built.extend(tools),
                Err(e) => self.wrong(format!("{} for {} {e}", program.name, build.folder())),
            }
        }
        // In the order of the tables again.
        TOOL_NAMES
            .into_iter()
            .filter_map(|name| built.iter().find(|tool| tool.name == name).copied())
            .collect()
    }

    /// A quick run of each tool that is not valgrind's, with reports: counts races, and finds tools that do not work.
    fn trials(&mut self, program: &Program, tools: Vec<Tool>) -> Vec<Tool> {
        if let Err(e) = self.runner.check_unpacks(program, Scale::Quick, LIMIT) {
            self.wrong(format!("{}: {e}", program.name));
        }
        let mut expected = None;
        let mut working = Vec::new();
        for tool in tools {
            if tool.valgrind.is_some() {
                working.push(tool);
                continue;
            }
            if let Some(outcome) =
                self.checked(program, &tool, Scale::Quick, Purpose::Reports, LIMIT, &mut expected)
            {
                let (usage, races) = (Default::default(), outcome.races());
                self.results.cells.insert((program.name, tool.name), Cell { usage, native: usage, races });
                working.push(tool);
            }
        }
        working
    }

    /// A run whose output must be the expected one; the first, native, says what that is.
    fn checked(
        &mut self,
        program: &Program,
        tool: &Tool,
        scale: Scale,
        purpose: Purpose,
        limit: Duration,
        expected: &mut Option<String>,
    ) -> Option<Outcome> {
        let name = format!("{} under {}", program.name, tool.name);
        match self.runner.run(program, tool, scale, purpose, limit) {
            Ok(outcome) if outcome.output == *expected.get_or_insert_with(|| outcome.output.clone()) => {
                Some(outcome)
            }
            Ok(outcome) => {
                self.wrong(format!(
                    "{name} put out {:?} instead of {:?}",
                    outcome.output,
                    expected.as_deref().unwrap_or("")
                ));
                None
            }
            Err(e) if e.starts_with("not done") => {
                self.note(format!("{name}: {e}"));
                None
            }
            Err(e) => {
                self.wrong(format!("{name}: {e}"));
                None
            }
        }
    }

    /// The measured rounds: all tools in turn, the best round of each counts. One that fails is out.
    fn rounds(&mut self, program: &Program, tools: &[Tool]) {
        let scale = self.options.scale;
        let mut tools: Vec<Tool> = tools.iter().filter(|tool| tool.valgrind.is_none()).copied().collect();
        let mut expected = None;
        for round in 0..self.options.repeats {
            tools.retain(|tool| {
                let outcome = self.checked(program, tool, scale, Purpose::Time, LIMIT, &mut expected);
                let key = (program.name, tool.name);
                match (outcome, self.results.cells.get_mut(&key)) {
                    (Some(outcome), Some(cell)) => {
                        if round == 0 || outcome.usage.seconds < cell.usage.seconds {
                            cell.usage = outcome.usage;
                        }
                        true
                    }
                    _ => {
                        self.results.cells.remove(&key);
                        false
                    }
                }
            });
        }
        // Without a native run there is nothing to compare with.
        let native = self.results.cells.get(&(program.name, "native")).map(|cell| cell.usage);
        self.results.cells.retain(|key, _| native.is_some() || key.0 != program.name);
        for tool in tools {
            if let (Some(native), Some(cell)) =
                (native, self.results.cells.get_mut(&(program.name, tool.name)))
            {
                cell.native = native;
            }
        }
    }

    /// Valgrind's tools, on ports only, once, at a smaller size against a native run of that size.
    fn valgrind(&mut self, program: &Program, tools: &[Tool]) {
        let tools: Vec<Tool> = tools.iter().filter(|tool| tool.valgrind.is_some()).copied().collect();
        if tools.is_empty() || !matches!(program.kind, Kind::Port(_)) {
            return;
        }
        let scale = if self.options.scale == Scale::Quick { Scale::Quick } else { Scale::Small };
        let mut expected = None;
        let native = Tool::named("native");
        let Some(native) = self.checked(program, &native, scale, Purpose::Time, LIMIT, &mut expected) else {
            return;
        };
        for tool in tools {
            let outcome = self.checked(program, &tool, scale, Purpose::Time, VALGRIND_LIMIT, &mut expected);
            if let Some(outcome) = outcome {
                let cell = Cell { usage: outcome.usage, native: native.usage, races: outcome.races() };
                self.results.cells.insert((program.name, tool.name), cell);
            }
        }
    }

    /// A run with counters: of rules, and of the checks that the program makes.
    fn count(&mut self, program: &Program, tool: &Tool) {
        match self.runner.run(program, tool, self.options.scale, Purpose::Rules, LIMIT) {
            Ok(outcome) => {
                let rules = Rules::parse(&outcome.said);
                if !rules.0.is_empty() && tool.name == COUNTED {
                    self.results.rules.insert(program.name, rules);
                }
                if let Some(checks) = rules::checks(&outcome.said) {
                    self.results.checks.insert((program.name, tool.name), checks);
                }
            }
            Err(e) => self.wrong(format!("{} with counters: {e}", program.name)),
        }
    }

    /// One line about a finished program.
    fn progress(&self, program: &Program) {
        let cell = |tool: &Tool| {
            let cell = self.results.cells.get(&(program.name, tool.name))?;
            Some(match tool.name {
                "native" => format!("native {:.2} s, {:.0} MiB", cell.usage.seconds, cell.usage.peak_mib),
                name => format!("{name} {:.1}x", cell.ratio(Quantity::Processor)),
            })
        };
        println!("{}: {}", program.name, self.tools.iter().filter_map(cell).collect::<Vec<_>>().join(", "));
    }
}
