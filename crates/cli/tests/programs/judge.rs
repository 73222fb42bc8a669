//! Whether what a run reported is what the program's verdict asks for.

use crate::program::{Access, Known, Program, Verdict};
use crate::report::{Accessed, Report};
use crate::run::{End, Ran};

/// The status of a program about which something was reported.
const REPORTED: i32 = 66;

/// What is wrong with a run; empty if nothing is.
pub fn complaints(program: &Program, known: Option<Known>, ran: &Ran) -> Vec<String> {
    let reports = Report::all(&ran.stderr, &sources(program));
    match known {
        Some(Known::Unsteady) => Vec::new(),
        Some(Known::Misses) if reports.is_empty() => Vec::new(),
        Some(Known::Misses) => vec![expected("a miss", &reports, ran)],
        Some(Known::FalseAlarm) if !reports.is_empty() => Vec::new(),
        Some(Known::FalseAlarm) => vec![expected("a false alarm", &reports, ran)],
        None => [against_verdict(program, &reports, ran), against_end(program, &reports, ran)].concat(),
    }
}

/// The files whose frames are the program's own.
fn sources(program: &Program) -> Vec<String> {
    let paths = [Some(&program.path), program.plugin.as_ref()];
    let names = paths.into_iter().flatten().filter_map(|path| path.file_name());
    names.map(|name| format!("/{}", name.to_string_lossy())).collect()
}

fn expected(what: &str, reports: &[Report], ran: &Ran) -> String {
    let seen: Vec<String> = reports.iter().map(Report::brief).collect();
    let seen = if seen.is_empty() { "no report".to_string() } else { seen.join("; ") };
    format!("expected {what}; seen {seen}; {}", ran.end)
}

fn against_verdict(program: &Program, reports: &[Report], ran: &Ran) -> Vec<String> {
    let Verdict::Bug(title) = program.verdict else {
        return if reports.is_empty() { Vec::new() } else { vec![expected("no report", reports, ran)] };
    };
    let mut complaints = Vec::new();
    if reports.len() != program.reports || reports.iter().any(|report| !report.title.starts_with(title)) {
        complaints.push(expected(&format!("{} of \"{title}\"", program.reports), reports, ran));
    }
    for race in &program.races {
        if !reports.iter().any(|report| is_between(report, race)) {
            complaints.push(expected(&format!("{} against {}", race[0], race[1]), reports, ran));
        }
    }
    for stack in &program.stacks {
        let of_line =
            |access: &&Accessed| access.frames.first().is_some_and(|frame| frame.line == stack.line);
        let seen = reports.iter().flat_map(|report| &report.accesses).find(of_line);
        let seen: Vec<&str> = seen
            .map_or(Vec::new(), |access| access.frames.iter().map(|frame| bare(&frame.function)).collect());
        if seen != stack.functions {
            complaints.push(format!(
                "expected the stack {:?} for line {}; seen {seen:?}",
                stack.functions, stack.line
            ));
        }
    }
    complaints
}

/// `put(int*)` is `put`.
fn bare(function: &str) -> &str {
    function.split('(').next().unwrap_or(function)
}

/// Whether the report's two accesses are those, in either order.
fn is_between(report: &Report, race: &[Access; 2]) -> bool {
    let top =
        |access: &Accessed| Some(Access { kind: access.kind.clone(), line: access.frames.first()?.line });
    let mut seen: Vec<Access> = report.accesses.iter().filter_map(top).collect();
    seen.sort();
    seen == race
}

/// The exit status and the program's own output.
fn against_end(program: &Program, reports: &[Report], ran: &Ran) -> Vec<String> {
    let status = if reports.is_empty() { program.exit } else { REPORTED };
    let mut complaints = Vec::new();
    // Where reports are missing, that is the complaint, not the status.
    let as_expected = reports.is_empty() != program.verdict.is_bug();
    if ran.end != End::Exit(status) && (as_expected || ran.end == End::Hang) {
        let last: Vec<&str> = ran.stderr.lines().rev().take(6).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        complaints.push(format!("expected exit status {status}; seen {}; {}", ran.end, last.join(" | ")));
    }
    if let Some(text) = &program.prints
        && ran.stdout.trim_end() != text
    {
        complaints.push(format!("expected the output {text:?}; seen {:?}", ran.stdout));
    }
    complaints
}
