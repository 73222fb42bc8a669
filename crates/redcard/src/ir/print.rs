//! Writes the text format, so that what is printed can be read again.

use super::*;
use crate::show::Names;

/// Operators and their signs.
pub(super) const BINARY: &[(&str, Binary)] = &[
    ("+", Binary::Add),
    ("-", Binary::Sub),
    ("*", Binary::Mul),
    ("+%", Binary::WrappingAdd),
    ("-%", Binary::WrappingSub),
    ("*%", Binary::WrappingMul),
    ("/", Binary::Div),
    ("%", Binary::Rem),
    ("==", Binary::Eq),
    ("!=", Binary::Ne),
    ("<", Binary::Lt),
    ("<=", Binary::Le),
    (">", Binary::Gt),
    (">=", Binary::Ge),
    ("&&", Binary::And),
    ("||", Binary::Or),
];

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(BINARY.iter().find(|(_, op)| op == self).map_or("?", |(sign, _)| sign))
    }
}

impl Program {
    /// A name for a class: that of its first field or kind of array.
    pub fn class_name(&self, class: ClassId) -> String {
        let arrays = self.arrays.iter().filter(|a| a.class == class).map(|a| &a.name);
        let mut named = arrays.chain(self.fields.iter().filter(|f| f.class == class).map(|f| &f.name));
        named.next().cloned().unwrap_or_else(|| class.to_string())
    }

    /// An instruction as text.
    pub fn show_inst(&self, function: &Function, inst: &Inst) -> String {
        let printer = Printer { program: self, function };
        printer.inst(inst)
    }

    /// A location as text.
    pub fn show_place(&self, function: &Function, place: &Place) -> String {
        Printer { program: self, function }.place(place)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.world == World::Closed {
            writeln!(f, "closed")?;
        }
        for array in self.arrays.iter().skip(1) {
            writeln!(f, "array {} class {}", array.name, self.class_name(array.class))?;
        }
        for field in &self.fields {
            let class = self.class_name(field.class);
            writeln!(f, "field {} class {class} at {} width {}", field.name, field.offset, field.width)?;
        }
        for function in &self.functions {
            let printer = Printer { program: self, function };
            write!(f, "{}", printer.head())?;
            for block in &function.blocks {
                write!(f, "{}", printer.block(block))?;
            }
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

struct Printer<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Printer<'_> {
    fn head(&self) -> String {
        let f = self.function;
        let export = if f.linkage == Linkage::Exported { "export " } else { "" };
        let params: Vec<String> = f.params.iter().map(|v| self.var(*v)).collect();
        let spec = f.spec.as_ref().map_or(String::new(), |spec| {
            format!("{} ", Names { program: self.program, vars: &f.vars }.spec(spec))
        });
        format!("{export}fn {}({}) {spec}{{\n", f.name, params.join(", "))
    }

    fn block(&self, block: &Block) -> String {
        let mut text = format!("{}:\n", block.name);
        for phi in &block.phis {
            let from = phi.from.iter().map(|(b, op)| format!("{}: {}", self.label(*b), self.operand(*op)));
            text += &format!("  {} = phi [{}]\n", self.var(phi.to), from.collect::<Vec<_>>().join(", "));
        }
        for inst in &block.insts {
            text += &format!("  {}\n", self.inst(inst));
        }
        text + &format!("  {}\n", self.end(&block.end))
    }

    fn end(&self, end: &End) -> String {
        match end {
            End::Jump(to) => format!("jump {}", self.label(*to)),
            End::Branch(on, yes, no) => {
                format!("branch {} {} {}", self.operand(*on), self.label(*yes), self.label(*no))
            }
            End::Return(None) => "return".into(),
            End::Return(Some(value)) => format!("return {}", self.operand(*value)),
            End::Stop => "stop".into(),
        }
    }

    fn label(&self, block: BlockId) -> String {
        self.function.blocks.get(block.index()).map_or_else(|| block.to_string(), |b| b.name.clone())
    }

    fn var(&self, var: Var) -> String {
        self.function.vars.get(var.index()).cloned().unwrap_or_else(|| var.to_string())
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Var(var) => self.var(var),
            Operand::Int(n) => n.to_string(),
            Operand::Null => "null".into(),
        }
    }

    fn array(&self, array: ArrayId) -> String {
        match self.program.arrays.get(array.index()) {
            Some(named) if array.0 != 0 => format!(" : {}", named.name),
            _ => String::new(),
        }
    }

    fn place(&self, place: &Place) -> String {
        let steps = place.steps.iter().map(|step| match step {
            Step::Field(id) => {
                let name =
                    self.program.fields.get(id.index()).map_or_else(|| id.to_string(), |f| f.name.clone());
                format!(".{name}")
            }
            Step::Index(array, index) => format!("[{}{}]", self.operand(*index), self.array(*array)),
        });
        format!("{}{}", self.operand(place.base), steps.collect::<Vec<_>>().join("/"))
    }

    fn arguments(&self, arguments: &[Operand]) -> String {
        arguments.iter().map(|a| self.operand(*a)).collect::<Vec<_>>().join(", ")
    }

    fn to(&self, to: Option<Var>) -> String {
        to.map_or(String::new(), |to| format!("{} = ", self.var(to)))
    }

    fn inst(&self, inst: &Inst) -> String {
        match inst {
            Inst::Let(to, pure) => format!("{} = {}", self.var(*to), self.pure(pure)),
            Inst::Read(id, to, from) => format!("{} = read{id} {}", self.var(*to), self.place(from)),
            Inst::Write(id, to, value) => format!("write{id} {} = {}", self.place(to), self.operand(*value)),
            Inst::New(to, site, Shape::Object) => format!("{} = new {}", self.var(*to), site.0),
            Inst::New(to, site, Shape::Array(kind, length)) => {
                format!("{} = new {} [{}{}]", self.var(*to), site.0, self.operand(*length), self.array(*kind))
            }
            Inst::Call(to, callee, arguments) => {
                let (to, arguments) = (self.to(*to), self.arguments(arguments));
                match callee {
                    Callee::Known(id) => {
                        let name = self.program.functions.get(id.index()).map_or("?", |f| &f.name);
                        format!("{to}call {name}({arguments})")
                    }
                    Callee::Unknown(name) => format!("{to}call unknown {name}({arguments})"),
                    Callee::Summary(name, spec) => {
                        let parameters: Vec<String> = (0..32).map(|n| format!("p{n}")).collect();
                        let spec = Names { program: self.program, vars: &parameters }.spec(spec);
                        format!("{to}call summary {name}({arguments}) {spec}")
                    }
                }
            }
            Inst::Sync(sync) => self.sync(sync),
        }
    }

    fn pure(&self, pure: &Pure) -> String {
        match pure {
            Pure::Copy(of) => self.operand(*of),
            Pure::Binary(op, a, b) => format!("{} {op} {}", self.operand(*a), self.operand(*b)),
            Pure::Not(of) => format!("not {}", self.operand(*of)),
            Pure::Length(of) => format!("len {}", self.operand(*of)),
            Pure::Unknown => "unknown".into(),
        }
    }

    fn sync(&self, sync: &Sync) -> String {
        match sync {
            Sync::Lock(of) => format!("lock {}", self.operand(*of)),
            Sync::Unlock(of) => format!("unlock {}", self.operand(*of)),
            Sync::Fork(to, id, arguments) => {
                let name = self.program.functions.get(id.index()).map_or("?", |f| &f.name);
                format!("{}fork {name}({})", self.to(*to), self.arguments(arguments))
            }
            Sync::Join(of) => format!("join {}", self.operand(*of)),
            Sync::VolatileRead(to, from) => format!("{} = volatile {}", self.var(*to), self.place(from)),
            Sync::VolatileWrite(to, value) => {
                format!("volatile {} = {}", self.place(to), self.operand(*value))
            }
            Sync::Other(effect, name) => {
                let effect = match effect {
                    Effect::Acquire => "acquire",
                    Effect::Release => "release",
                    Effect::Both => "both",
                };
                format!("sync {effect} {name}")
            }
        }
    }
}
