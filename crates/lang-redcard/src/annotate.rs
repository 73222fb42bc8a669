//! The program with `Check` or `NoCheck` at each access, and with contexts, as the paper's Figure 1 prints it.

use crate::lower::{Mark, Spot};
use crate::show::{Items, Words};
use crate::subject::{Elision, Subject};
use deadheat_lang::Lines;
use deadheat_lang::ast::Span;
use deadheat_redcard::context::Context;
use deadheat_redcard::ir::{AccessId, FuncId, Kind};
use deadheat_redcard::solver::Solver;
use deadheat_redcard::{Reason, Verdict};

/// Which contexts are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Contexts {
    /// None.
    None,
    /// As in Figure 1: the paths where the body of a loop begins, and behind the loop.
    #[default]
    Loops,
    /// All items, before every statement.
    All,
}

/// The source with its annotations.
pub fn annotate(subject: &Subject, elision: &Elision, contexts: Contexts) -> String {
    let mut marks: Vec<(usize, String)> = Vec::new();
    for (n, access) in subject.lowered.accesses.iter().enumerate() {
        let mark = elision.analysis.mark(AccessId(n as u32));
        marks.push((access.span.end as usize, format!("^{mark}")));
    }
    marks.sort_by_key(|(at, _)| *at);
    let mut comments: Vec<(usize, String)> =
        subject.lowered.marks.iter().filter_map(|mark| comment(subject, elision, contexts, mark)).collect();
    comments.sort_by_key(|(line, _)| *line);
    let mut out = String::new();
    let (mut marks, mut comments) = (marks.into_iter().peekable(), comments.into_iter().peekable());
    let mut start = 0;
    for line in subject.text.split_inclusive('\n') {
        while let Some((_, text)) = comments.next_if(|(at, _)| *at <= start) {
            out += &text;
        }
        let mut done = 0;
        while let Some((at, text)) = marks.next_if(|(at, _)| *at <= start + line.len()) {
            out += &line[done..at - start];
            out += &text;
            done = at - start;
        }
        out += &line[done..];
        start += line.len();
    }
    comments.for_each(|(_, text)| out += &text);
    out
}

/// The line of a context, and the start of the line that it stands before.
fn comment(subject: &Subject, elision: &Elision, contexts: Contexts, mark: &Mark) -> Option<(usize, String)> {
    let items = match (contexts, mark.spot) {
        (Contexts::Loops, Spot::LoopBody | Spot::LoopEnd) => Items::Paths,
        (Contexts::All, Spot::Statement) => Items::All,
        // Where a statement follows, its own line says it.
        (Contexts::All, Spot::LoopEnd) => {
            let same = |other: &Mark| other.spot == Spot::Statement && other.at == mark.at;
            if subject.lowered.marks.iter().any(same) {
                return None;
            }
            Items::All
        }
        _ => return None,
    };
    let (function, block, n) = mark.at;
    let context = elision.analysis.points.get(function.index())?.blocks.get(block.index())?.get(n)?;
    let words = words(subject, function, &mark.locals);
    let text = &subject.text;
    let at = mark.offset as usize;
    let line_of = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let next_line = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    let indented = |line: usize| {
        let rest = &text[line..];
        rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()].to_owned()
    };
    let (line, indent) = match mark.spot {
        Spot::Statement => (line_of(at), indented(line_of(at))),
        Spot::LoopEnd => (next_line(at), indented(line_of(at))),
        Spot::LoopBody => {
            // A body that begins on the loop's own line has no line for it.
            let line = next_line(at);
            if !text[at..line].trim().is_empty() && !text[at..line].trim_start().starts_with("//") {
                return None;
            }
            (line, indented(line_of(at)) + "    ")
        }
    };
    Some((line, format!("{indent}// Π : {}\n", words.context(context, items))))
}

fn words<'a>(
    subject: &'a Subject,
    function: FuncId,
    locals: &'a [(String, deadheat_redcard::ir::Operand)],
) -> Words<'a> {
    let graph = &subject.lowered.graph;
    Words { graph, function: &graph.functions[function.index()], locals }
}

/// One access with its verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Line and column, from 1.
    pub position: (usize, usize),
    /// Read or write.
    pub kind: Kind,
    /// The place as it is written.
    pub text: String,
    /// `Check` or `NoCheck`.
    pub verdict: &'static str,
    /// Why not, for `NoCheck`.
    pub reason: Option<Because>,
}

/// Why an access needs no check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Because {
    /// These accesses come first in its span, one of them on every way; line and column of each. Empty: those before every call.
    Earlier(Vec<(usize, usize)>, Vec<String>, Vec<String>),
    /// A proxy is accessed in the same span.
    Proxy(String),
}

/// Every access in the order of the source. With a solver, reasons have the paths and facts that they rest on.
pub fn lines(subject: &Subject, elision: &Elision, mut solver: Option<&mut dyn Solver>) -> Vec<Line> {
    let lines = Lines::new(&subject.text);
    let position = |span: Span| lines.position(span);
    let accesses = &subject.lowered.accesses;
    let mut order: Vec<usize> = (0..accesses.len()).collect();
    order.sort_by_key(|n| (accesses[*n].span.start, accesses[*n].span.end));
    let told = order.into_iter().map(|n| {
        let (id, access) = (AccessId(n as u32), accesses[n]);
        let reason = match elision.analysis.verdicts.get(&id) {
            Some(Verdict::NoCheck(Reason::Available(by))) => {
                let by = by.iter().map(|id| position(accesses[id.index()].span)).collect();
                let (paths, facts) = match &mut solver {
                    Some(solver) => explained(subject, elision, id, *solver),
                    None => Default::default(),
                };
                Some(Because::Earlier(by, paths, facts))
            }
            Some(Verdict::NoCheck(Reason::Proxy(relation))) => Some(Because::Proxy(relation.clone())),
            _ => None,
        };
        let text = subject.text[access.span.start as usize..access.span.end as usize].to_owned();
        let verdict = elision.analysis.mark(id);
        Line { position: position(access.span), kind: access.kind, text, verdict, reason }
    });
    told.collect()
}

/// The paths and facts that a verdict rests on, in words.
fn explained(
    subject: &Subject,
    elision: &Elision,
    id: AccessId,
    solver: &mut dyn Solver,
) -> (Vec<String>, Vec<String>) {
    let graph = &subject.lowered.graph;
    let Some(explanation) = elision.analysis.explain(graph, id, solver) else { return Default::default() };
    let Some((function, ..)) = graph.accesses().find(|(_, _, other, _, _)| *other == id) else {
        return Default::default();
    };
    let span = subject.lowered.accesses[id.index()].span;
    let before = |mark: &&Mark| mark.at.0 == function && mark.offset <= span.start;
    let mark = subject.lowered.marks.iter().rfind(before);
    let words = words(subject, function, mark.map_or(&[], |mark| &mark.locals));
    words.proof(&Context { paths: explanation.paths, facts: explanation.facts })
}
