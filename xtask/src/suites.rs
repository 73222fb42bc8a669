//! Other projects' own multithreaded tests under Deadheat, from Debian's source packages.

use crate::setup;
use crate::shell::{Step, cargo, run as run_program, target};

/// Runs those, or all.
pub fn run(which: &[String]) -> Step {
    setup::compilers()?;
    setup::clang()?;
    cargo(&["build", "--release", "--package", "deadheat", "--package", "deadheat-bench"])?;
    let [bench, deadheat] = ["deadheat-bench", "deadheat"].map(|b| target().join("release").join(b));
    let paths = [deadheat, target().join("bench-runtime")].map(|path| path.display().to_string());
    let arguments: Vec<&str> =
        ["suites"].into_iter().chain(paths.iter().chain(which).map(String::as_str)).collect();
    run_program(&bench, &arguments)
}
