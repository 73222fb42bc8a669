//! Mistakes made in the detectors and handlers, one at a time, by cargo-mutants: whether a test notices each. `.cargo/mutants.toml` says which are not worth making, and why.

use crate::setup;
use crate::shell::{Step, root, target};
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The crates, and which of their tests have to do it: those that take seconds.
const CRATES: [(&str, &[&str]); 2] = [
    ("deadheat-detect", &["--lib", "--test", "corpus"]),
    (
        "deadheat-online",
        &["--lib", "--test", "rules", "--test", "stress", "--test", "traces", "--test", "waiting"],
    ),
];

/// The same random cases for every mistake, and none that an earlier mistake has left behind; nobody reads the smallest one.
const CASES: [(&str, &str); 3] = [
    ("PROPTEST_RNG_SEED", "1"),
    ("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true"),
    ("PROPTEST_MAX_SHRINK_ITERS", "0"),
];

/// Tries every mistake, and says at the end what became of them; the outcome of each is left in the target folder. With `--iterate` it
/// tries those that it has not caught there yet.
pub fn run(options: &[String]) -> Step {
    setup::mutants()?;
    let tried = CRATES.iter().map(|(name, tests)| Tried::of(name, tests, options));
    let tried: Vec<Tried> = tried.collect::<Result<_, _>>()?;
    tried.iter().for_each(|tried| eprintln!("{tried}"));
    let missed: Vec<&str> = tried.iter().flat_map(Tried::missed).map(String::as_str).collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(format!("no test notices these mistakes:\n{}", missed.join("\n")))
}

/// What became of the mistakes made in a crate.
struct Tried {
    name: &'static str,
    /// In the order of [`OUTCOMES`].
    mistakes: Vec<Vec<String>>,
}

/// The files of cargo-mutants with the mistakes that ended so, and what to say of them. Those of earlier runs are caught or do not compile.
const OUTCOMES: [(&str, &str); 5] = [
    ("caught", "caught"),
    ("timeout", "caught since a test did not end"),
    ("unviable", "that do not compile"),
    ("previously_caught", "done with earlier"),
    ("missed", "missed"),
];

impl Tried {
    fn of(name: &'static str, tests: &[&str], options: &[String]) -> Result<Tried, String> {
        let out = target().join("mutants").join(name);
        fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let mut mutants = Command::new(setup::cargo_mutants());
        mutants.current_dir(root()).envs(CASES).arg("mutants").arg("--output").arg(&out);
        // Most of the time is the compiler's. Who waits for ever is found out by the timeout.
        mutants.args(["--package", name, "--timeout", "60"]);
        mutants
            .args(["opt-level=0", "debug=0"].map(|set| format!("--cargo-arg=--config=profile.test.{set}")));
        mutants.args(options).arg("--").args(tests);
        eprintln!("$ cargo mutants --package {name}");
        let ended = mutants.status().map_err(|e| format!("cargo mutants: {e}"))?;
        // 2 and 3 say that mistakes were missed, and that some had no end.
        if !matches!(ended.code(), Some(0 | 2 | 3)) {
            return Err(format!("cargo mutants: {ended}"));
        }
        let mistakes = OUTCOMES.iter().map(|(file, _)| lines(&out.join("mutants.out"), file));
        Ok(Tried { name, mistakes: mistakes.collect::<Result<_, _>>()? })
    }

    fn missed(&self) -> &[String] {
        self.mistakes.last().expect("there are outcomes")
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.mistakes.iter().zip(OUTCOMES).filter(|(mistakes, _)| !mistakes.is_empty());
        let counts: Vec<_> =
            counts.map(|(mistakes, (_, what))| format!("{} {what}", mistakes.len())).collect();
        write!(f, "{}: mistakes: {}", self.name, counts.join(", "))
    }
}

/// The mistakes with that outcome. There need not have been an earlier run.
fn lines(out: &Path, outcome: &str) -> Result<Vec<String>, String> {
    let path = out.join(outcome).with_extension("txt");
    if outcome == "previously_caught" && !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}
