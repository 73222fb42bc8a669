//! Documents against SARIF 2.1.0: of each kind of object that we write, the properties that the standard knows, their types and which must be there.
//!
//! Written by hand from the standard (sections 3.13 to 3.49), as far as it concerns what we write. The standard's own schema is several times as long as all of this module.

use super::*;
use crate::samples::{destroy, inversion, race};
use alloc::collections::BTreeSet;
use alloc::vec;

/// What a property may be.
enum Shape {
    Text,
    Number {
        least: i64,
    },
    OneOf(&'static [&'static str]),
    Object(&'static str),
    /// A list of objects, of at least so many.
    List(&'static str, usize),
    /// A list without two alike.
    Set(&'static str),
    /// Any names, with objects behind them.
    Map(&'static str),
    /// Any names, with texts behind them.
    Texts,
}

use Shape::*;

/// Name of a property, what it may be, and whether it must be there.
type Property = (&'static str, Shape, bool);

const MUST: bool = true;
const MAY: bool = false;
const LEVELS: &[&str] = &["none", "note", "warning", "error"];

/// The properties of a kind of object.
fn properties(kind: &str) -> Vec<Property> {
    match kind {
        "sarifLog" => {
            vec![("$schema", Text, MAY), ("version", OneOf(&["2.1.0"]), MUST), ("runs", List("run", 0), MUST)]
        }
        "run" => vec![
            ("tool", Object("tool"), MUST),
            ("columnKind", OneOf(&["utf16CodeUnits", "unicodeCodePoints"]), MAY),
            ("originalUriBaseIds", Map("artifactLocation"), MAY),
            ("results", List("result", 0), MAY),
        ],
        "tool" => vec![("driver", Object("toolComponent"), MUST)],
        "toolComponent" => {
            vec![("name", Text, MUST), ("version", Text, MAY), ("rules", Set("reportingDescriptor"), MAY)]
        }
        "reportingDescriptor" => vec![
            ("id", Text, MUST),
            ("name", Text, MAY),
            ("shortDescription", Object("multiformatMessageString"), MAY),
            ("fullDescription", Object("multiformatMessageString"), MAY),
            ("help", Object("multiformatMessageString"), MAY),
            ("defaultConfiguration", Object("reportingConfiguration"), MAY),
        ],
        "multiformatMessageString" => vec![("text", Text, MUST), ("markdown", Text, MAY)],
        "reportingConfiguration" => vec![("level", OneOf(LEVELS), MAY)],
        "result" => vec![
            ("ruleId", Text, MAY),
            ("ruleIndex", Number { least: -1 }, MAY),
            ("level", OneOf(LEVELS), MAY),
            ("message", Object("message"), MUST),
            ("locations", List("location", 0), MAY),
            ("relatedLocations", Set("location"), MAY),
            ("stacks", Set("stack"), MAY),
            ("codeFlows", List("codeFlow", 0), MAY),
            ("partialFingerprints", Texts, MAY),
        ],
        // It may have an `id` instead of a text, which ours never has.
        "message" => vec![("text", Text, MUST)],
        "location" => vec![
            ("id", Number { least: -1 }, MAY),
            ("physicalLocation", Object("physicalLocation"), MAY),
            ("logicalLocations", Set("logicalLocation"), MAY),
            ("message", Object("message"), MAY),
        ],
        // It may have an `address` instead of a file, which ours never has.
        "physicalLocation" => {
            vec![("artifactLocation", Object("artifactLocation"), MUST), ("region", Object("region"), MAY)]
        }
        "artifactLocation" => vec![("uri", Text, MAY), ("uriBaseId", Text, MAY)],
        "region" => vec![("startLine", Number { least: 1 }, MAY), ("startColumn", Number { least: 1 }, MAY)],
        "logicalLocation" => vec![("fullyQualifiedName", Text, MAY), ("kind", Text, MAY)],
        "stack" => vec![("message", Object("message"), MAY), ("frames", List("stackFrame", 0), MUST)],
        "stackFrame" => vec![
            ("location", Object("location"), MAY),
            ("module", Text, MAY),
            ("threadId", Number { least: i64::MIN }, MAY),
        ],
        "codeFlow" => vec![("message", Object("message"), MAY), ("threadFlows", List("threadFlow", 1), MUST)],
        "threadFlow" => vec![
            ("id", Text, MAY),
            ("message", Object("message"), MAY),
            ("locations", List("threadFlowLocation", 1), MUST),
        ],
        "threadFlowLocation" => vec![("location", Object("location"), MAY)],
        other => panic!("no such kind of object: {other}"),
    }
}

#[track_caller]
fn check_object(at: &str, value: &Value, kind: &str) {
    let object = value.as_object().unwrap_or_else(|| panic!("{at}: not an object: {value}"));
    let known = properties(kind);
    for name in object.keys() {
        assert!(known.iter().any(|(known, ..)| known == name), "{at}: a {kind} has no property {name}");
    }
    for (name, shape, must) in &known {
        match object.get(*name) {
            Some(value) => check(&format!("{at}.{name}"), value, shape),
            None => assert!(!must, "{at}: a {kind} must have {name}"),
        }
    }
}

#[track_caller]
fn check(at: &str, value: &Value, shape: &Shape) {
    match shape {
        Text => assert!(value.is_string(), "{at}: not a text: {value}"),
        Number { least } => assert!(value.as_i64().is_some_and(|n| n >= *least), "{at}: {value}"),
        OneOf(choices) => assert!(choices.iter().any(|choice| value == choice), "{at}: {value}"),
        Object(kind) => check_object(at, value, kind),
        List(kind, least) => {
            let list = value.as_array().unwrap_or_else(|| panic!("{at}: not a list: {value}"));
            assert!(list.len() >= *least, "{at}: too few");
            list.iter().enumerate().for_each(|(i, value)| check_object(&format!("{at}[{i}]"), value, kind));
        }
        Set(kind) => {
            check(at, value, &List(kind, 0));
            let list: Vec<String> = value.as_array().into_iter().flatten().map(Value::to_string).collect();
            assert_eq!(list.iter().collect::<BTreeSet<_>>().len(), list.len(), "{at}: two are alike");
        }
        Map(kind) => {
            let map = value.as_object().unwrap_or_else(|| panic!("{at}: not an object: {value}"));
            map.iter().for_each(|(name, value)| check_object(&format!("{at}.{name}"), value, kind));
        }
        Texts => {
            let map = value.as_object().unwrap_or_else(|| panic!("{at}: not an object: {value}"));
            map.iter().for_each(|(name, value)| check(&format!("{at}.{name}"), value, &Text));
        }
    }
}

/// Every object of that property, however deep.
fn each<'a>(value: &'a Value, property: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            if name == property {
                found.push(value);
            }
            each(value, property, found);
        }),
        Value::Array(list) => list.iter().for_each(|value| each(value, property, found)),
        _ => {}
    }
}

/// What the standard says in words: rules are found by their index, base URIs end in a slash and are there if they are used, and URIs have no characters that none may have.
fn check_references(document: &Value) {
    let run = &document["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        let ids: Vec<_> =
            result["relatedLocations"].as_array().unwrap().iter().map(|l| l["id"].to_string()).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "identifiers of locations");
    }
    let mut places = Vec::new();
    each(document, "artifactLocation", &mut places);
    for place in places {
        let uri = place["uri"].as_str().unwrap();
        let fits = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
        assert!(uri.chars().all(fits), "{uri}");
        if let Some(base) = place["uriBaseId"].as_str() {
            let base = run["originalUriBaseIds"][base]["uri"].as_str().unwrap();
            assert!(base.ends_with('/') && !uri.starts_with('/') && !uri.contains("://"), "{base} {uri}");
        }
    }
}

#[test]
fn documents_are_sarif() {
    let mut bare = race();
    bare.accesses.iter_mut().for_each(|access| access.stack = Stack::default());
    let mut odd = race();
    odd.accesses[0].stack.0[0].file = Some("/home/ann/a b/ü%.c".into());
    let mut alike = race();
    let same = alike.mutexes[0].clone();
    alike.mutexes.push(same);
    for findings in [vec![], vec![race(), race()], vec![inversion(), destroy()], vec![bare, odd, alike]] {
        for root in [None, Some("/home/ann"), Some("/home/a b/")] {
            let document = document(&findings, Setting { version: "1.2.3", root });
            let document: Value = serde_json::from_str(&document).unwrap();
            check_object("$", &document, "sarifLog");
            check_references(&document);
        }
    }
    for kind in Kind::ALL {
        let document = document(&[Finding::new(kind, 1)], Setting::default());
        check_object("$", &serde_json::from_str(&document).unwrap(), "sarifLog");
    }
}
