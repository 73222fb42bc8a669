//! Findings as a SARIF 2.1.0 document, which code hosts and editors show next to the source.
//!
//! One result for each finding. Its location is the innermost frame with source of the access that completed the bug; the
//! earlier access, and where memory, mutexes and threads come from, are related locations. Every stack is there in full under
//! `stacks`, and the two sides of a race, outermost frame first, as thread flows. The fingerprint is made of functions and files
//! alone, so that a finding is known again in the next run and after lines have moved.

use crate::tell::{Told, background, headline, name, parties};
use crate::words::base_name;
use crate::{Finding, Frame, Kind, Stack};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde_json::{Map, Value, json};

/// What the document says besides the findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Setting<'a> {
    /// The version of this tool.
    pub version: &'a str,
    /// Folder of the sources: files in it are named relative to it, as code hosts want it.
    pub root: Option<&'a str>,
}

/// The whole document, ready to be written to a file.
pub fn document(findings: &[Finding], setting: Setting<'_>) -> String {
    let rules: Vec<Value> = Kind::ALL.into_iter().map(rule).collect();
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, setting)).collect();
    let mut run = json!({
        "tool": {"driver": {"name": "Deadheat", "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    if !setting.version.is_empty() {
        run["tool"]["driver"]["version"] = setting.version.into();
    }
    if let Some(root) = setting.root {
        let root = format!("file://{}/", encode(root.trim_end_matches('/')));
        run["originalUriBaseIds"] = json!({"SRCROOT": {"uri": root}});
    }
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    // It cannot fail: all keys are strings, and the writer is memory.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn rule(kind: Kind) -> Value {
    json!({
        "id": kind.name(),
        "name": camel(kind.name()),
        "shortDescription": {"text": format!("{}.", name(kind))},
        "fullDescription": {"text": kind.explanation()},
        "help": {"text": kind.explanation()},
        "defaultConfiguration": {"level": level(kind)},
    })
}

/// A leak and what may deadlock one day warn; what is undefined behaviour now is an error.
fn level(kind: Kind) -> &'static str {
    match kind {
        Kind::ThreadLeak | Kind::LockOrderInversion | Kind::SignalErrnoSpoiled => "warning",
        _ => "error",
    }
}

fn result(finding: &Finding, setting: Setting<'_>) -> Value {
    let (parties, background) = (parties(finding), background(finding));
    let message = match finding.why.as_str() {
        "" => headline(finding),
        why => format!("{} {why}", headline(finding)),
    };
    let main: Vec<Value> = finding.main_stack().and_then(|stack| place(stack, setting)).into_iter().collect();
    let related = parties.iter().skip(1).chain(&background).enumerate();
    let related: Vec<Value> =
        related.filter_map(|(nth, told)| related_location(nth + 1, told, setting)).collect();
    let all = parties.iter().chain(&background).filter(|told| !told.stack.is_empty());
    let mut stacks: Vec<Value> = Vec::new();
    for one in all.map(|told| stack(told, setting)) {
        // No two may be alike.
        if !stacks.contains(&one) {
            stacks.push(one);
        }
    }
    let rule = Kind::ALL.iter().position(|kind| *kind == finding.kind).unwrap_or_default();
    let mut out = json!({
        "ruleId": finding.kind.name(),
        "ruleIndex": rule,
        "level": level(finding.kind),
        "message": {"text": message},
        "locations": main,
        "relatedLocations": related,
        "stacks": stacks,
        "partialFingerprints": {"deadheat/v1": fingerprint(finding)},
    });
    let flows: Vec<Value> = parties.iter().filter_map(|told| thread_flow(told, setting)).collect();
    if !flows.is_empty() {
        out["codeFlows"] = json!([{"threadFlows": flows}]);
    }
    out
}

/// The location of a stack: its innermost frame with source, or the innermost of all.
fn place(stack: &Stack, setting: Setting<'_>) -> Option<Value> {
    stack.source().or(stack.top()).map(|frame| Value::Object(location(frame, setting)))
}

fn related_location(id: usize, told: &Told<'_>, setting: Setting<'_>) -> Option<Value> {
    let mut out = place(told.stack, setting)?;
    out["id"] = id.into();
    out["message"] = json!({"text": told.what});
    Some(out)
}

fn location(frame: &Frame, setting: Setting<'_>) -> Map<String, Value> {
    let mut out = Map::new();
    if let Some(file) = &frame.file {
        let mut physical = json!({"artifactLocation": artifact(file, setting.root)});
        if let Some(line) = frame.line {
            physical["region"] = json!({"startLine": line});
            if let Some(column) = frame.column {
                physical["region"]["startColumn"] = column.into();
            }
        }
        out.insert("physicalLocation".into(), physical);
    }
    if let Some(function) = &frame.function {
        out.insert("logicalLocations".into(), json!([{"fullyQualifiedName": function, "kind": "function"}]));
    }
    out
}

fn artifact(file: &str, root: Option<&str>) -> Value {
    let inside = root.and_then(|root| file.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/'));
    match inside {
        Some(relative) => json!({"uri": encode(relative), "uriBaseId": "SRCROOT"}),
        None if file.starts_with('/') => json!({"uri": format!("file://{}", encode(file))}),
        None => json!({"uri": encode(file)}),
    }
}

fn stack(told: &Told<'_>, setting: Setting<'_>) -> Value {
    let frames: Vec<Value> = told.stack.0.iter().map(|frame| stack_frame(told, frame, setting)).collect();
    json!({"message": {"text": told.what}, "frames": frames})
}

fn stack_frame(told: &Told<'_>, frame: &Frame, setting: Setting<'_>) -> Value {
    let mut at = location(frame, setting);
    at.insert("message".into(), json!({"text": frame.function.as_deref().unwrap_or("<null>")}));
    let mut out = json!({"location": at});
    if let Some(module) = &frame.module {
        out["module"] = format!("{}+{:#x}", base_name(module), frame.offset_in_module.0).into();
    }
    if let Some(thread) = told.thread {
        out["threadId"] = thread.0.into();
    }
    out
}

/// One side of the bug, from where its thread started to where it happened.
fn thread_flow(told: &Told<'_>, setting: Setting<'_>) -> Option<Value> {
    let with_source = told.stack.0.iter().rev().filter(|frame| frame.file.is_some());
    let mut steps: Vec<Value> =
        with_source.map(|frame| json!({"location": location(frame, setting)})).collect();
    steps.last_mut()?["location"]["message"] = json!({"text": told.what});
    let mut out = json!({"message": {"text": told.what}, "locations": steps});
    if let Some(thread) = told.thread {
        out["id"] = thread.to_string().into();
    }
    Some(out)
}

/// The same for the same bug in another run: kind, and functions and files of each side, in no order.
fn fingerprint(finding: &Finding) -> String {
    let sides = parties(finding);
    let mut sides: Vec<String> = sides.iter().map(|told| side(told.stack)).collect();
    if sides.is_empty() {
        sides.extend(finding.main_stack().map(side));
    }
    sides.sort_unstable();
    let text = format!("{}\n{}", finding.kind.name(), sides.join("\n"));
    // FNV-1a, which is short and the same everywhere.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn side(stack: &Stack) -> String {
    let Some(frame) = stack.source().or(stack.top()) else { return String::new() };
    let file = frame.file.as_deref().or(frame.module.as_deref()).unwrap_or_default();
    format!("{} {}", frame.function.as_deref().unwrap_or_default(), base_name(file))
}

/// `data-race` as `DataRace`.
fn camel(name: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect::<String>()
    };
    name.split('-').map(capital).collect()
}

/// A path as part of a URI.
fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into())
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod tests;
