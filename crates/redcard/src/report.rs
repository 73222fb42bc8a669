//! The annotated program: Check or NoCheck on each access, and the contexts as in the paper's Figure 1.

use crate::analysis::{Analysis, Reason, Verdict};
use crate::ir::{Function, Program};
use crate::show::Names;

/// What to print besides the verdicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Nothing.
    Verdicts,
    /// The context before every instruction that is an access, and at the start of blocks.
    Contexts,
}

impl Analysis {
    /// The program with its annotations.
    pub fn show(&self, program: &Program, detail: Detail) -> String {
        let functions =
            program.functions.iter().enumerate().map(|(n, f)| self.show_function(program, n, f, detail));
        functions.collect::<Vec<_>>().join("\n")
    }

    fn show_function(&self, program: &Program, n: usize, function: &Function, detail: Detail) -> String {
        let names = Names { program, vars: &function.vars };
        let mut text = format!("fn {}\n", function.name);
        for (b, block) in function.blocks.iter().enumerate() {
            text += &format!("{}:\n", block.name);
            for (i, inst) in block.insts.iter().enumerate() {
                let context = self.points.get(n).and_then(|p| p.blocks.get(b)).and_then(|b| b.get(i));
                if let Some(context) = context.filter(|_| detail == Detail::Contexts) {
                    text += &format!("    // Π : {}\n", context.show(names));
                }
                text += &format!("  {}", program.show_inst(function, inst));
                if let Some((id, ..)) = inst.access() {
                    text += &format!("  // {}{}", self.mark(id), self.because(id));
                }
                text += "\n";
            }
            let last = self.points.get(n).and_then(|p| p.blocks.get(b)).and_then(|b| b.last());
            if let Some(context) = last.filter(|_| detail == Detail::Contexts) {
                text += &format!("    // Π : {}\n", context.show(names));
            }
        }
        text
    }

    /// The reason in a few words.
    pub fn because(&self, id: crate::ir::AccessId) -> String {
        match self.verdicts.get(&id) {
            Some(Verdict::NoCheck(Reason::Available(by))) if !by.is_empty() => {
                let by: Vec<String> = by.iter().map(|id| id.to_string()).collect();
                format!(": available from {}", by.join(", "))
            }
            Some(Verdict::NoCheck(Reason::Available(_))) => ": available at every call".into(),
            Some(Verdict::NoCheck(Reason::Proxy(what))) => format!(": {what}"),
            Some(Verdict::Check) | None => String::new(),
        }
    }
}
