//! From structured programs to graphs in SSA form.

use super::source::*;
use deadheat_redcard::ir::*;

type Env = Vec<Operand>;

const FIELDS: [&str; 6] = ["x", "y", "z", "f", "g", "v"];

struct Builder {
    vars: Vec<String>,
    blocks: Vec<Block>,
    at: usize,
    env: Env,
    access: u32,
    site: u32,
    handle: Option<Var>,
    /// Exits of the loops around: blocks and their values that leave early.
    breaks: Vec<Vec<(BlockId, Env)>>,
    workers: u32,
}

/// main is function 0, then workers, then helpers. All but main take every local that is not a number.
pub fn lower(source: &Source, world: World) -> Program {
    let class = |n: usize| ClassId(n as u32 + 2);
    let fields = FIELDS.iter().enumerate();
    let fields = fields.map(|(n, name)| Field {
        name: (*name).into(),
        class: class(n),
        offset: n as i64 * 8,
        width: 8,
    });
    let arrays = ["elements", "rows"].iter().enumerate();
    let arrays = arrays.map(|(n, name)| Array { name: (*name).into(), class: ClassId(n as u32) }).collect();
    let mut program = Program { world, fields: fields.collect(), arrays, functions: Vec::new() };
    let (mut access, mut site) = (0, 10);
    let workers = source.workers.len() as u32;
    let bodies = std::iter::once(("main".to_string(), &source.main))
        .chain(source.workers.iter().enumerate().map(|(n, b)| (format!("worker{n}"), b)))
        .chain(source.helpers.iter().enumerate().map(|(n, b)| (format!("helper{n}"), b)));
    for (name, body) in bodies {
        let mut builder = Builder::new(access, site, workers);
        let function = builder.function(name, body);
        (access, site) = (builder.access, builder.site);
        program.functions.push(function);
    }
    program
}

impl Builder {
    fn new(access: u32, site: u32, workers: u32) -> Builder {
        let mut builder = Builder {
            vars: Vec::new(),
            blocks: Vec::new(),
            at: 0,
            env: vec![Operand::Int(0); INTS],
            access,
            site,
            handle: None,
            breaks: Vec::new(),
            workers,
        };
        builder.block("entry");
        builder
    }

    fn function(&mut self, name: String, body: &[S]) -> Function {
        let main = name == "main";
        let mut params = Vec::new();
        for n in 0..OBJECTS + ARRAYS + ROWS {
            let var = self.var(&format!("p{n}"));
            self.env.push(Operand::Var(var));
            match main {
                true => self.allocate(n, var),
                false => params.push(var),
            }
        }
        if main {
            self.set_up();
        }
        self.body(body);
        self.close(End::Return(Some(self.env[INTS])));
        let (vars, blocks) = (std::mem::take(&mut self.vars), std::mem::take(&mut self.blocks));
        Function { name, linkage: Linkage::Internal, params, vars, blocks, spec: None }
    }

    fn allocate(&mut self, n: usize, var: Var) {
        let shape = match n {
            n if n < OBJECTS => Shape::Object,
            n if n < OBJECTS + ARRAYS => Shape::Array(ArrayId(0), Operand::Int(4)),
            _ => Shape::Array(ArrayId(1), Operand::Int(3)),
        };
        self.push(Inst::New(var, SiteId(n as u32), shape));
    }

    /// Fields and rows point somewhere before threads start.
    fn set_up(&mut self) {
        for n in 0..OBJECTS {
            for (m, field) in OBJECT_FIELDS.iter().enumerate() {
                let (id, base) = (self.next(), self.env[INTS + n]);
                let value = self.env[INTS + (n + m + 1) % OBJECTS];
                self.push(Inst::Write(id, field_of(base, field), value));
            }
        }
        for n in 0..3 {
            let (id, array) = (self.next(), self.env[INTS + OBJECTS + n as usize % ARRAYS]);
            let place = self.row(Operand::Int(n));
            self.push(Inst::Write(id, place, array));
        }
    }

    fn var(&mut self, name: &str) -> Var {
        self.vars.push(format!("{name}_{}", self.vars.len()));
        Var(self.vars.len() as u32 - 1)
    }

    fn next(&mut self) -> AccessId {
        self.access += 1;
        AccessId(self.access - 1)
    }

    fn push(&mut self, inst: Inst) {
        self.blocks[self.at].insts.push(inst);
    }

    fn block(&mut self, name: &str) -> BlockId {
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block {
            name: format!("{name}{}", id.0),
            phis: vec![],
            insts: vec![],
            end: End::Stop,
        });
        self.at = id.index();
        id
    }

    fn here(&self) -> BlockId {
        BlockId(self.at as u32)
    }

    fn close(&mut self, end: End) {
        self.blocks[self.at].end = end;
    }

    fn bind(&mut self, pure: Pure) -> Operand {
        let var = self.var("t");
        self.push(Inst::Let(var, pure));
        Operand::Var(var)
    }

    fn num(&mut self, num: &Num) -> Operand {
        match num {
            Num::Const(n) => Operand::Int(*n),
            Num::Var(v) => self.env[*v],
            Num::Plus(v, n) => self.bind(Pure::Binary(Binary::WrappingAdd, self.env[*v], Operand::Int(*n))),
            Num::Twice(v) => self.bind(Pure::Binary(Binary::WrappingMul, Operand::Int(2), self.env[*v])),
            Num::Length(a) => self.bind(Pure::Length(self.env[INTS + OBJECTS + a])),
        }
    }

    fn cond(&mut self, cond: &Cond) -> Operand {
        match cond {
            Cond::Less(a, b) => {
                let (a, b) = (self.num(a), self.num(b));
                self.bind(Pure::Binary(Binary::Lt, a, b))
            }
            Cond::Same(a, b) => self.bind(Pure::Binary(Binary::Eq, self.env[INTS + a], self.env[INTS + b])),
            Cond::Unknown => self.bind(Pure::Unknown),
        }
    }

    fn object(&self, o: usize) -> Operand {
        self.env[INTS + o]
    }

    fn element(&mut self, a: usize, index: &Num) -> Place {
        let index = self.num(index);
        Place { base: self.env[INTS + OBJECTS + a], steps: vec![Step::Index(ArrayId(0), index)] }
    }

    fn row(&self, index: Operand) -> Place {
        Place { base: self.env[INTS + OBJECTS + ARRAYS], steps: vec![Step::Index(ArrayId(1), index)] }
    }

    fn read(&mut self, into: usize, place: Place) {
        let (id, var) = (self.next(), self.var("r"));
        self.push(Inst::Read(id, var, place));
        self.env[into] = Operand::Var(var);
    }

    fn write(&mut self, place: Place, value: Operand) {
        let id = self.next();
        self.push(Inst::Write(id, place, value));
    }

    fn body(&mut self, body: &[S]) {
        body.iter().for_each(|s| self.statement(s));
    }

    fn statement(&mut self, s: &S) {
        match s {
            S::SetInt(v, num) => self.env[*v] = self.num(num),
            S::SetWrapping(v, of, n) => {
                self.env[*v] = self.bind(Pure::Binary(Binary::WrappingAdd, self.env[*of], Operand::Int(*n)));
            }
            S::CopyObject(o, from) => self.env[INTS + o] = self.object(*from),
            S::CopyArray(a, from) => self.env[INTS + OBJECTS + a] = self.env[INTS + OBJECTS + from],
            S::ReadNumber(v, o, f) => self.read(*v, field_of(self.object(*o), NUMBER_FIELDS[*f])),
            S::WriteNumber(o, f, num) => {
                let value = self.num(num);
                self.write(field_of(self.object(*o), NUMBER_FIELDS[*f]), value);
            }
            S::ReadObject(to, o, f) => self.read(INTS + to, field_of(self.object(*o), OBJECT_FIELDS[*f])),
            S::WriteObject(o, f, value) => {
                self.write(field_of(self.object(*o), OBJECT_FIELDS[*f]), self.object(*value));
            }
            S::ReadElement(v, a, index) => {
                let place = self.element(*a, index);
                self.read(*v, place);
            }
            S::WriteElement(a, index, value) => {
                let (place, value) = (self.element(*a, index), self.num(value));
                self.write(place, value);
            }
            S::ReadRow(a, index) => {
                let index = self.num(index);
                self.read(INTS + OBJECTS + a, self.row(index));
            }
            S::WriteRow(index, a) => {
                let index = self.num(index);
                self.write(self.row(index), self.env[INTS + OBJECTS + a]);
            }
            S::New(o) => {
                let var = self.var("n");
                self.site += 1;
                self.push(Inst::New(var, SiteId(self.site), Shape::Object));
                self.env[INTS + o] = Operand::Var(var);
                for f in OBJECT_FIELDS {
                    self.write(field_of(Operand::Var(var), f), Operand::Var(var));
                }
            }
            S::If(cond, yes, no) => self.branch(cond, yes, no),
            S::For { var, from, to, step, wraps, body } => self.sweep(*var, from, to, *step, *wraps, body),
            S::BreakIf(cond) => self.break_if(cond),
            S::Locked(o, body) => {
                let object = self.object(*o);
                self.push(Inst::Sync(Sync::Lock(object)));
                self.body(body);
                self.push(Inst::Sync(Sync::Unlock(object)));
            }
            S::VolatileRead(v, o) => {
                let var = self.var("vol");
                self.push(Inst::Sync(Sync::VolatileRead(var, field_of(self.object(*o), "v"))));
                self.env[*v] = Operand::Var(var);
            }
            S::VolatileWrite(o, num) => {
                let value = self.num(num);
                self.push(Inst::Sync(Sync::VolatileWrite(field_of(self.object(*o), "v"), value)));
            }
            S::Fork(worker) => {
                let var = self.var("thread");
                let arguments = self.env[INTS..].to_vec();
                let id = FuncId(1 + *worker as u32);
                self.push(Inst::Sync(Sync::Fork(Some(var), id, arguments)));
                if self.at == 0 {
                    self.handle = Some(var);
                }
            }
            S::Join => {
                // Only a handle from the first block is in scope everywhere.
                if let Some(var) = self.handle {
                    self.push(Inst::Sync(Sync::Join(Operand::Var(var))));
                }
            }
            S::Call(helper) => {
                let var = self.var("c");
                let arguments = self.env[INTS..].to_vec();
                let id = FuncId(1 + self.workers + *helper as u32);
                self.push(Inst::Call(Some(var), Callee::Known(id), arguments));
                self.env[INTS] = Operand::Var(var);
            }
            S::Outside(o) => {
                let arguments = vec![self.object(*o), self.object(0), self.env[INTS + OBJECTS]];
                self.push(Inst::Call(None, Callee::Unknown("outside".into()), arguments));
            }
            S::Harmless => {
                let callee = Callee::Summary("harmless".into(), Default::default());
                self.push(Inst::Call(None, callee, vec![]));
            }
            S::Other(n) => {
                let effect = [Effect::Acquire, Effect::Release, Effect::Both][*n];
                self.push(Inst::Sync(Sync::Other(effect, "named".into())));
            }
            S::Point(o, order, write, between) => {
                for (n, f) in order.iter().enumerate() {
                    if let (1, Some(s)) = (n, between) {
                        self.statement(s);
                    }
                    let place = field_of(self.object(*o), NUMBER_FIELDS[*f]);
                    match write {
                        true => self.write(place, Operand::Int(1)),
                        false => self.read(0, place),
                    }
                }
            }
            S::Four(a, order, write) => {
                for n in order {
                    let place = self.element(*a, &Num::Const(*n as i64));
                    match write {
                        true => self.write(place, Operand::Int(1)),
                        false => self.read(0, place),
                    }
                }
            }
            S::Return(cond) => {
                let on = self.cond(cond);
                let from = self.here();
                let stop = self.block("leave");
                self.close(End::Return(Some(self.env[INTS])));
                let go = self.block("stay");
                self.blocks[from.index()].end = End::Branch(on, stop, go);
            }
        }
    }

    /// φ-functions for the locals that differ.
    fn merge(&mut self, from: &[(BlockId, Env)]) {
        let mut env = from[0].1.clone();
        for (n, slot) in env.iter_mut().enumerate() {
            if from.iter().any(|(_, e)| e[n] != *slot) {
                let to = self.var("m");
                let from = from.iter().map(|(b, e)| (*b, e[n])).collect();
                self.blocks[self.at].phis.push(Phi { to, from });
                *slot = Operand::Var(to);
            }
        }
        self.env = env;
    }

    fn branch(&mut self, cond: &Cond, yes: &[S], no: &[S]) {
        let on = self.cond(cond);
        let (from, env) = (self.here(), self.env.clone());
        let then = self.block("then");
        self.body(yes);
        let (then_end, then_env) = (self.here(), std::mem::replace(&mut self.env, env));
        let other = self.block("else");
        self.body(no);
        let (else_end, else_env) = (self.here(), self.env.clone());
        let join = self.block("join");
        self.blocks[from.index()].end = End::Branch(on, then, other);
        self.blocks[then_end.index()].end = End::Jump(join);
        self.blocks[else_end.index()].end = End::Jump(join);
        self.merge(&[(then_end, then_env), (else_end, else_env)]);
    }

    fn sweep(&mut self, var: usize, from: &Num, to: &Num, step: i64, wraps: bool, body: &[S]) {
        self.env[var] = self.num(from);
        let (before, start) = (self.here(), self.env.clone());
        let head = self.block("head");
        self.blocks[before.index()].end = End::Jump(head);
        let mut phis = Vec::new();
        for n in 0..self.env.len() {
            let phi = self.var("i");
            phis.push(phi);
            self.env[n] = Operand::Var(phi);
        }
        let limit = self.num(to);
        let (a, b) = if step > 0 { (self.env[var], limit) } else { (limit, self.env[var]) };
        let on = self.bind(Pure::Binary(Binary::Lt, a, b));
        let at_head = self.env.clone();
        let inside = self.block("body");
        self.breaks.push(Vec::new());
        self.body(body);
        // The body may have used the counter for something else; then the loop is no loop over an array, but still a loop.
        let op = if wraps { Binary::WrappingAdd } else { Binary::Add };
        self.env[var] = match self.env[var] {
            same if same == at_head[var] => self.bind(Pure::Binary(op, same, Operand::Int(step))),
            other => {
                let bound = Operand::Int(if step > 0 { 1 << 40 } else { -(1 << 40) });
                let _ = other;
                bound
            }
        };
        let (latch, next) = (self.here(), self.env.clone());
        self.close(End::Jump(head));
        let mut exits = self.breaks.pop().unwrap_or_default();
        let exit = self.block("exit");
        self.blocks[head.index()].end = End::Branch(on, inside, exit);
        exits.iter().for_each(|(b, _)| self.blocks[b.index()].end = End::Jump(exit));
        for (n, to) in phis.into_iter().enumerate() {
            let from = vec![(before, start[n]), (latch, next[n])];
            self.blocks[head.index()].phis.push(Phi { to, from });
        }
        exits.push((head, at_head));
        self.merge(&exits);
    }

    fn break_if(&mut self, cond: &Cond) {
        if self.breaks.is_empty() {
            return;
        }
        let on = self.cond(cond);
        let from = self.here();
        let out = self.block("break");
        let env = self.env.clone();
        self.breaks.last_mut().unwrap().push((out, env));
        let go = self.block("on");
        self.blocks[from.index()].end = End::Branch(on, out, go);
    }
}

fn field_of(base: Operand, name: &str) -> Place {
    let at = FIELDS.iter().position(|f| *f == name).unwrap();
    Place { base, steps: vec![Step::Field(FieldId(at as u32))] }
}
