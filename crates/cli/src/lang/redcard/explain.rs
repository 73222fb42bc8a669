//! Verdicts with their reasons, as text and as JSON.

use crate::failure::Failure;
use deadheat_lang_redcard::annotate::{Because, Line, lines};
use deadheat_lang_redcard::{Elision, Subject};
use deadheat_redcard::ir::Kind;
use deadheat_redcard::solver::Solver;
use serde_json::{Value, json};
use std::fmt::Write;

/// A line for each access: which earlier ones cover it, by which paths and facts.
pub fn text(subject: &Subject, elision: &Elision, solver: &mut dyn Solver) -> String {
    let mut out = String::new();
    for line in lines(subject, elision, Some(solver)) {
        let (row, column) = line.position;
        let _ = write!(out, "{row}:{column}: {} of {}: {}", kind(line.kind), line.text, line.verdict);
        match &line.reason {
            None => {}
            Some(Because::Proxy(relation)) => {
                let _ = write!(out, ", its proxy is checked: {relation}");
            }
            Some(Because::Earlier(by, paths, facts)) => {
                let by: Vec<String> = by.iter().map(|(row, column)| format!("{row}:{column}")).collect();
                let by = if by.is_empty() {
                    "before every call".to_owned()
                } else {
                    format!("at {}", by.join(", "))
                };
                let _ = write!(out, ", accessed {by}");
                if !paths.is_empty() {
                    let _ = write!(out, ": {}", paths.join(", "));
                }
                if !facts.is_empty() {
                    let _ = write!(out, " and {}", facts.join(", "));
                }
            }
        }
        out.push('\n');
    }
    out
}

/// The same as an object.
pub fn json(
    subject: &Subject,
    elision: &Elision,
    solver: Option<&mut dyn Solver>,
) -> Result<String, Failure> {
    let lines = lines(subject, elision, solver);
    let checked = lines.iter().filter(|line| line.reason.is_none()).count();
    let all = json!({
        "accesses": lines.len(),
        "checked": checked,
        "places": lines.iter().map(place).collect::<Vec<_>>(),
    });
    let text = serde_json::to_string_pretty(&all).map_err(|e| Failure::new(e.to_string()))?;
    Ok(text + "\n")
}

fn place(line: &Line) -> Value {
    let (row, column) = line.position;
    let mut value = json!({
        "line": row,
        "column": column,
        "kind": kind(line.kind),
        "text": line.text,
        "verdict": line.verdict,
    });
    match &line.reason {
        None => {}
        Some(Because::Proxy(relation)) => value["proxy"] = json!(relation),
        Some(Because::Earlier(by, paths, facts)) => {
            let by = by.iter().map(|(row, column)| json!({ "line": row, "column": column }));
            value["earlier"] = by.collect();
            if !paths.is_empty() {
                value["paths"] = json!(paths);
                value["facts"] = json!(facts);
            }
        }
    }
    value
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "read",
        Kind::Write => "write",
    }
}
