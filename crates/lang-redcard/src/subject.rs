//! A program with everything that is known about it: text, tree, code, graph; and what the analysis says about it.

use crate::lower::{Lowered, lower};
use crate::monitor::Cell;
use crate::peel::peel;
use deadheat_lang::ast::{Program, Span};
use deadheat_lang::code::{Code, Instr, Pc};
use deadheat_lang::{Address, Error, Machine, check, compile, parse, print};
use deadheat_redcard::ir::{AccessId, FieldId, Kind, Step};
use deadheat_redcard::proxy::Index;
use deadheat_redcard::solver::Solver;
use deadheat_redcard::{Analysis, Config, Verdict, analyse};
use std::collections::HashMap;
use std::sync::Arc;

/// A program in all its forms.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its text.
    pub text: String,
    /// Its tree.
    pub tree: Program,
    /// Its code, in which every access is told.
    pub code: Arc<Code>,
    /// Its graph.
    pub lowered: Lowered,
    /// The access that each instruction is.
    accesses: Vec<Option<AccessId>>,
}

impl Subject {
    /// Reads, checks, compiles and lowers a program.
    pub fn new(text: String) -> Result<Subject, Vec<Error>> {
        let tree = parse(&text)?;
        let types = check(&tree)?;
        let code = compile(&tree, &types).map_err(|error| vec![error])?;
        let lowered = lower(&tree, &types);
        let ids: HashMap<(Span, Kind), AccessId> = lowered
            .accesses
            .iter()
            .enumerate()
            .map(|(n, access)| ((access.span, access.kind), AccessId(n as u32)))
            .collect();
        let of = |(instr, span): (&Instr, &Span)| ids.get(&(*span, kind(instr)?)).copied();
        let accesses = code.instrs.iter().zip(&code.spans).map(of).collect();
        Ok(Subject { text, tree, code: Arc::new(code), lowered, accesses })
    }

    /// The same program with the first round of its innermost loops taken out of them; a program of its own, with its own text.
    pub fn peeled(&self) -> Result<Subject, Vec<Error>> {
        Subject::new(print(&peel(&self.tree)))
    }

    /// The access that an instruction is; `None` for all that is no plain read or write.
    pub fn access(&self, pc: Pc) -> Option<AccessId> {
        self.accesses.get(pc.index()).copied().flatten()
    }
}

/// What a plain access does; `None` for all other instructions.
fn kind(instr: &Instr) -> Option<Kind> {
    match instr {
        Instr::Load(..) | Instr::LoadGlobal(..) => Some(Kind::Read),
        Instr::Store(..) | Instr::StoreGlobal(..) => Some(Kind::Write),
        _ => None,
    }
}

/// What the analysis says about a program.
#[derive(Clone, Debug)]
pub struct Elision {
    /// Verdicts, contexts, specifications, proxies.
    pub analysis: Analysis,
    /// By instruction: is it an access without a check?
    pub unchecked: Vec<bool>,
    /// By instruction: where the proxy is that stands for it.
    proxied: Vec<Option<Proxied>>,
}

/// Where the proxy of a location is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Proxied {
    /// So many cells further: another field of the object, or another global.
    Field(i64),
    /// Another element of the array.
    Element,
}

/// Analyses a program.
///
/// # Panics
/// If the graph is not well formed: a mistake of the lowering.
pub fn elide(subject: &Subject, config: Config, solver: &mut dyn Solver) -> Elision {
    let analysis = analyse(&subject.lowered.graph, config, solver).expect("the lowering makes good graphs");
    let places: HashMap<AccessId, Step> = subject
        .lowered
        .graph
        .accesses()
        .filter_map(|(_, _, id, _, place)| Some((id, *place.steps.last()?)))
        .collect();
    let verdict = |id: &Option<AccessId>| id.and_then(|id| analysis.verdicts.get(&id));
    let unchecked = subject.accesses.iter().map(|id| matches!(verdict(id), Some(Verdict::NoCheck(_))));
    let unchecked = unchecked.collect();
    let proxied = |id: &Option<AccessId>| {
        // Also where an earlier access of the same location is the reason: that one may be covered by the proxy.
        let Some(Verdict::NoCheck(_)) = verdict(id) else { return None };
        Some(match places.get(&(*id)?)? {
            Step::Index(..) => Proxied::Element,
            Step::Field(field) => {
                let proxy = analysis.proxies.fields.get(field)?;
                let cell = |f: &FieldId| subject.lowered.cells[f.index()];
                Proxied::Field(cell(proxy) - cell(field))
            }
        })
    };
    let proxied = subject.accesses.iter().map(proxied).collect();
    Elision { analysis, unchecked, proxied }
}

impl Elision {
    /// The code in which unchecked accesses are not told to any detector. For runs: an explorer must see every access.
    pub fn code(&self, subject: &Subject) -> Arc<Code> {
        Arc::new(Code { unchecked: self.unchecked.clone(), ..(*subject.code).clone() })
    }

    /// The cells that may be the proxy of a cell at that place of the code, in the memory of a machine that has run it.
    pub fn proxies(&self, machine: &Machine, place: usize, cell: Cell) -> Vec<Cell> {
        match self.proxied.get(place).copied().flatten() {
            None => Vec::new(),
            Some(Proxied::Field(distance)) => vec![Cell(cell.0.wrapping_add_signed(distance))],
            Some(Proxied::Element) => {
                let Some(i) = machine.index_of(Address(cell.0)) else { return Vec::new() };
                let indices = self.analysis.proxies.arrays.values().map(|relation| match relation {
                    Index::Constant(n) => *n,
                    Index::Chunk(n) => i.div_euclid(*n) * n,
                    Index::Stride(n) => i.rem_euclid(*n),
                });
                indices.map(|index| Cell(cell.0.wrapping_add_signed(index - i))).collect()
            }
        }
    }
}
