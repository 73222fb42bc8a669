//! Which allocation sites a variable may point to: one set per variable, and one per class for all that is stored ("a standard points-to analysis").

use crate::ir::{Callee, ClassId, End, Inst, Linkage, Operand, Place, Program, Pure, SiteId, Sync, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Sites, and whether it may be anything else.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Sites {
    pub(super) sites: BTreeSet<SiteId>,
    pub(super) unknown: bool,
}

impl Sites {
    fn add(&mut self, other: &Sites) -> bool {
        let before = (self.sites.len(), self.unknown);
        self.sites.extend(&other.sites);
        self.unknown |= other.unknown;
        before != (self.sites.len(), self.unknown)
    }
}

/// Where everything may point.
pub(super) struct PointsTo {
    vars: Vec<Vec<Sites>>,
    stored: BTreeMap<ClassId, Sites>,
    results: Vec<Sites>,
    changed: bool,
}

impl PointsTo {
    /// Runs to the least fixed point. The program is closed.
    pub(super) fn new(program: &Program) -> PointsTo {
        let vars = program.functions.iter().map(|f| vec![Sites::default(); f.vars.len()]).collect();
        let results = vec![Sites::default(); program.functions.len()];
        let mut all = PointsTo { vars, stored: BTreeMap::new(), results, changed: true };
        for (f, function) in program.functions.iter().enumerate() {
            if function.linkage == Linkage::Exported || function.name == "main" {
                for param in &function.params {
                    all.vars[f][param.index()].unknown = true;
                }
            }
        }
        while std::mem::take(&mut all.changed) {
            for f in 0..program.functions.len() {
                all.function(program, f);
            }
        }
        all
    }

    /// Where an operand may point.
    pub(super) fn operand(&self, function: usize, operand: Operand) -> Sites {
        match operand {
            Operand::Var(var) => self.vars[function][var.index()].clone(),
            Operand::Int(_) | Operand::Null => Sites::default(),
        }
    }

    fn flow(&mut self, function: usize, to: Var, from: &Sites) {
        self.changed |= self.vars[function][to.index()].add(from);
    }

    fn store(&mut self, program: &Program, place: &Place, from: &Sites) {
        if let Some(class) = program.class(&place.steps) {
            self.changed |= self.stored.entry(class).or_default().add(from);
        }
    }

    fn load(&self, program: &Program, place: &Place) -> Sites {
        program.class(&place.steps).and_then(|class| self.stored.get(&class)).cloned().unwrap_or_default()
    }

    fn function(&mut self, program: &Program, f: usize) {
        let unknown = Sites { sites: BTreeSet::new(), unknown: true };
        for block in &program.functions[f].blocks {
            for phi in &block.phis {
                for (_, operand) in &phi.from {
                    let from = self.operand(f, *operand);
                    self.flow(f, phi.to, &from);
                }
            }
            for inst in &block.insts {
                match inst {
                    Inst::Let(to, Pure::Copy(of)) => {
                        let from = self.operand(f, *of);
                        self.flow(f, *to, &from);
                    }
                    // Arithmetic on an address gives some address.
                    Inst::Let(to, Pure::Binary(_, a, b)) => {
                        let address = [a, b].into_iter().any(|o| self.operand(f, *o) != Sites::default());
                        if address {
                            self.flow(f, *to, &unknown);
                        }
                    }
                    Inst::Let(to, Pure::Unknown) => self.flow(f, *to, &unknown),
                    Inst::Let(_, Pure::Not(_) | Pure::Length(_)) => {}
                    Inst::Read(_, to, from) | Inst::Sync(Sync::VolatileRead(to, from)) => {
                        let from = self.load(program, from);
                        self.flow(f, *to, &from);
                    }
                    Inst::Write(_, to, value) | Inst::Sync(Sync::VolatileWrite(to, value)) => {
                        let from = self.operand(f, *value);
                        self.store(program, to, &from);
                    }
                    Inst::New(to, site, _) => {
                        let from = Sites { sites: [*site].into(), unknown: false };
                        self.flow(f, *to, &from);
                    }
                    Inst::Call(to, Callee::Known(id), arguments) => {
                        self.pass(program, f, id.index(), arguments);
                        if let Some(to) = to {
                            let from = self.results[id.index()].clone();
                            self.flow(f, *to, &from);
                        }
                    }
                    Inst::Call(to, ..) => to.iter().for_each(|to| self.flow(f, *to, &unknown)),
                    Inst::Sync(Sync::Fork(_, id, arguments)) => self.pass(program, f, id.index(), arguments),
                    Inst::Sync(_) => {}
                }
            }
            if let End::Return(Some(value)) = &block.end {
                let from = self.operand(f, *value);
                self.changed |= self.results[f].add(&from);
            }
        }
    }

    fn pass(&mut self, program: &Program, from: usize, to: usize, arguments: &[Operand]) {
        for (param, argument) in program.functions[to].params.iter().zip(arguments) {
            let sites = self.operand(from, *argument);
            self.flow(to, *param, &sites);
        }
    }
}
