//! The machine: one step of one thread at a time.

use super::heap::{Heap, Location, Part, Value};
use super::{Action, Event, SyncObject, Tid};
use crate::ir::*;
use std::collections::HashMap;

/// Who moves, and what the unknown turns out to be.
pub trait Schedule {
    /// One of the threads that can move.
    fn choose(&mut self, runnable: &[Tid]) -> usize;
    /// A small number, for everything the program leaves open.
    fn unknown(&mut self) -> i64;
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Every thread that can move has ended.
    Complete,
    /// Out of steps.
    Cut,
    /// An operation that the front end calls exact was not: what follows is not the program's meaning.
    Broken,
}

struct Frame {
    function: FuncId,
    block: BlockId,
    next: usize,
    vars: Vec<Value>,
    /// Where the caller wants the result.
    result: Option<Var>,
}

#[derive(Default)]
struct Thread {
    frames: Vec<Frame>,
}

/// Why a step did not happen.
enum Stop {
    /// Try again later.
    Blocked,
    /// The thread is dead: a null reference, an index out of bounds, a lock it does not hold.
    Trap,
    Broken,
}

type Step1<T> = Result<T, Stop>;

/// A run of a well-formed program from `main`.
pub struct Machine<'a> {
    program: &'a Program,
    heap: Heap,
    threads: Vec<Thread>,
    locks: HashMap<u32, (Tid, u32)>,
    trace: Vec<Event>,
}

impl<'a> Machine<'a> {
    /// The start of `main`; each of its parameters is a fresh object. `None` if there is no `main`.
    pub fn new(program: &'a Program) -> Option<Machine<'a>> {
        let main = program.function("main")?;
        let mut heap = Heap::default();
        let arguments: Vec<Value> =
            program.functions[main.index()].params.iter().map(|_| heap.object()).collect();
        let mut machine =
            Machine { program, heap, threads: Vec::new(), locks: HashMap::new(), trace: Vec::new() };
        let frame = machine.frame(main, &arguments, None);
        machine.threads.push(Thread { frames: vec![frame] });
        Some(machine)
    }

    /// Runs to the end, or for that many steps.
    pub fn run(mut self, schedule: &mut dyn Schedule, steps: u32) -> (Vec<Event>, Outcome) {
        for _ in 0..steps {
            let runnable: Vec<Tid> =
                (0..self.threads.len() as u32).map(Tid).filter(|tid| self.can_move(*tid)).collect();
            if runnable.is_empty() {
                return (self.trace, Outcome::Complete);
            }
            let tid = runnable[schedule.choose(&runnable).min(runnable.len() - 1)];
            match self.step(tid, schedule) {
                Ok(()) | Err(Stop::Blocked) => {}
                Err(Stop::Trap) => self.threads[tid.0 as usize].frames.clear(),
                Err(Stop::Broken) => return (self.trace, Outcome::Broken),
            }
        }
        (self.trace, Outcome::Cut)
    }

    fn frame(&self, function: FuncId, arguments: &[Value], result: Option<Var>) -> Frame {
        let body = &self.program.functions[function.index()];
        let mut vars = vec![Value::Int(0); body.vars.len()];
        for (param, value) in body.params.iter().zip(arguments) {
            vars[param.index()] = *value;
        }
        Frame { function, block: BlockId(0), next: 0, vars, result }
    }

    fn can_move(&self, tid: Tid) -> bool {
        let Some(frame) = self.threads[tid.0 as usize].frames.last() else { return false };
        let block = &self.program.functions[frame.function.index()].blocks[frame.block.index()];
        match block.insts.get(frame.next) {
            Some(Inst::Sync(Sync::Lock(of))) => match value(frame, *of) {
                Value::Ref(object) => self.locks.get(&object).is_none_or(|(owner, _)| *owner == tid),
                _ => true,
            },
            Some(Inst::Sync(Sync::Join(of))) => match value(frame, *of) {
                Value::Thread(child) => self.threads[child as usize].frames.is_empty(),
                _ => true,
            },
            _ => true,
        }
    }

    fn record(&mut self, tid: Tid, action: Action) {
        self.trace.push(Event { tid, action });
    }

    fn step(&mut self, tid: Tid, schedule: &mut dyn Schedule) -> Step1<()> {
        let frame = self.threads[tid.0 as usize].frames.last().ok_or(Stop::Blocked)?;
        let program = self.program;
        let block = &program.functions[frame.function.index()].blocks[frame.block.index()];
        match block.insts.get(frame.next) {
            Some(inst) => {
                let depth = self.threads[tid.0 as usize].frames.len();
                if let Inst::Call(to, Callee::Known(id), arguments) = inst {
                    if depth > 200 {
                        return Err(Stop::Trap);
                    }
                    let arguments: Vec<Value> = arguments.iter().map(|a| value(frame, *a)).collect();
                    let new = self.frame(*id, &arguments, *to);
                    self.top(tid).next += 1;
                    self.threads[tid.0 as usize].frames.push(new);
                    return Ok(());
                }
                let result = self.inst(tid, inst, schedule)?;
                let frame = self.top(tid);
                if let (Some(to), Some(result)) = (inst.defines(), result) {
                    frame.vars[to.index()] = result;
                }
                frame.next += 1;
                Ok(())
            }
            None => self.end(tid, &block.end),
        }
    }

    fn top(&mut self, tid: Tid) -> &mut Frame {
        let frames = &mut self.threads[tid.0 as usize].frames;
        let last = frames.len() - 1;
        &mut frames[last]
    }

    fn end(&mut self, tid: Tid, end: &End) -> Step1<()> {
        let program = self.program;
        let frame = self.top(tid);
        match end {
            End::Jump(to) => enter(program, frame, *to),
            End::Branch(on, yes, no) => {
                let to = if value(frame, *on) == Value::Int(0) { *no } else { *yes };
                enter(program, frame, to);
            }
            End::Return(of) => {
                let result = of.map_or(Value::Int(0), |of| value(frame, of));
                let to = frame.result;
                let frames = &mut self.threads[tid.0 as usize].frames;
                frames.pop();
                if let (Some(caller), Some(to)) = (frames.last_mut(), to) {
                    caller.vars[to.index()] = result;
                }
            }
            End::Stop => return Err(Stop::Trap),
        }
        Ok(())
    }

    fn inst(&mut self, tid: Tid, inst: &Inst, schedule: &mut dyn Schedule) -> Step1<Option<Value>> {
        let get = |machine: &Machine<'_>, of: Operand| {
            machine.threads[tid.0 as usize].frames.last().map_or(Value::Null, |f| value(f, of))
        };
        Ok(match inst {
            Inst::Let(_, pure) => Some(match pure {
                Pure::Copy(of) => get(self, *of),
                Pure::Not(of) => Value::Int(i64::from(get(self, *of) == Value::Int(0))),
                Pure::Length(of) => Value::Int(self.heap.length(get(self, *of)).ok_or(Stop::Trap)?),
                Pure::Unknown => Value::Int(schedule.unknown()),
                Pure::Binary(op, a, b) => binary(*op, get(self, *a), get(self, *b))?,
            }),
            Inst::Read(id, _, from) => {
                let location = self.location(tid, from)?;
                let found = self.heap.get(&location);
                self.record(tid, Action::Access(Some(*id), Kind::Read, location));
                Some(found)
            }
            Inst::Write(id, to, of) => {
                let (location, new) = (self.location(tid, to)?, get(self, *of));
                self.record(tid, Action::Access(Some(*id), Kind::Write, location.clone()));
                self.heap.set(location, new);
                None
            }
            Inst::New(_, _, Shape::Object) => Some(self.heap.object()),
            Inst::New(_, _, Shape::Array(_, length)) => match get(self, *length) {
                Value::Int(n) => Some(self.heap.array(n).ok_or(Stop::Trap)?),
                _ => return Err(Stop::Trap),
            },
            Inst::Call(_, callee, arguments) => {
                let arguments: Vec<Value> = arguments.iter().map(|a| get(self, *a)).collect();
                Some(self.outside(tid, callee, &arguments, schedule))
            }
            Inst::Sync(sync) => self.sync(tid, sync)?,
        })
    }

    /// Code that is not there: it may write what it was given, and synchronise.
    fn outside(
        &mut self,
        tid: Tid,
        callee: &Callee,
        arguments: &[Value],
        schedule: &mut dyn Schedule,
    ) -> Value {
        let everything = match callee {
            Callee::Summary(_, spec) => spec.modifies.all,
            _ => true,
        };
        if everything {
            let object = SyncObject::Named("outside".into());
            self.record(tid, Action::Acquire(object.clone()));
            for argument in arguments {
                if let (Value::Ref(object), true) = (argument, schedule.unknown() % 3 == 0) {
                    let fields = self.program.fields.len().max(1) as i64;
                    let part = match self.heap.length(*argument) {
                        Some(length) if length > 0 => {
                            Part::Element(ArrayId(0), schedule.unknown().rem_euclid(length))
                        }
                        _ => Part::Field(FieldId(schedule.unknown().rem_euclid(fields) as u32)),
                    };
                    let location = Location { object: *object, parts: vec![part] };
                    let given = arguments[schedule.unknown().rem_euclid(arguments.len() as i64) as usize];
                    self.record(tid, Action::Access(None, Kind::Write, location.clone()));
                    self.heap.set(location, given);
                }
            }
            self.record(tid, Action::Release(object));
        }
        let pick = schedule.unknown().rem_euclid(arguments.len() as i64 + 1) as usize;
        arguments.get(pick).copied().unwrap_or(Value::Int(schedule.unknown()))
    }

    fn location(&self, tid: Tid, place: &Place) -> Step1<Location> {
        let frame = self.threads[tid.0 as usize].frames.last().ok_or(Stop::Trap)?;
        let Value::Ref(object) = value(frame, place.base) else { return Err(Stop::Trap) };
        let parts: Option<Vec<Part>> = place
            .steps
            .iter()
            .map(|step| match step {
                Step::Field(field) => Some(Part::Field(*field)),
                Step::Index(array, index) => match value(frame, *index) {
                    Value::Int(index) => Some(Part::Element(*array, index)),
                    _ => None,
                },
            })
            .collect();
        let location = Location { object, parts: parts.ok_or(Stop::Trap)? };
        if self.heap.exists(&location) { Ok(location) } else { Err(Stop::Trap) }
    }

    fn sync(&mut self, tid: Tid, sync: &Sync) -> Step1<Option<Value>> {
        let frame = self.threads[tid.0 as usize].frames.last().ok_or(Stop::Trap)?;
        match sync {
            Sync::Lock(of) => {
                let Value::Ref(object) = value(frame, *of) else { return Err(Stop::Trap) };
                let (owner, depth) = self.locks.get(&object).copied().unwrap_or((tid, 0));
                if owner != tid {
                    return Err(Stop::Blocked);
                }
                self.locks.insert(object, (tid, depth + 1));
                self.record(tid, Action::Acquire(SyncObject::Lock(object)));
            }
            Sync::Unlock(of) => {
                let Value::Ref(object) = value(frame, *of) else { return Err(Stop::Trap) };
                match self.locks.get(&object).copied() {
                    Some((owner, 1)) if owner == tid => {
                        self.locks.remove(&object);
                        self.record(tid, Action::Release(SyncObject::Lock(object)));
                    }
                    Some((owner, depth)) if owner == tid => _ = self.locks.insert(object, (tid, depth - 1)),
                    _ => return Err(Stop::Trap),
                }
            }
            Sync::Fork(_, id, arguments) => {
                let arguments: Vec<Value> = arguments.iter().map(|a| value(frame, *a)).collect();
                if self.threads.len() >= 64 {
                    return Err(Stop::Trap);
                }
                let child = self.threads.len() as u32;
                let frame = self.frame(*id, &arguments, None);
                self.threads.push(Thread { frames: vec![frame] });
                self.record(tid, Action::Fork(Tid(child)));
                return Ok(Some(Value::Thread(child)));
            }
            Sync::Join(of) => {
                let Value::Thread(child) = value(frame, *of) else { return Err(Stop::Trap) };
                self.record(tid, Action::Join(Tid(child)));
            }
            Sync::VolatileRead(_, from) => {
                let location = self.location(tid, from)?;
                let found = self.heap.get(&location);
                self.record(tid, Action::Acquire(SyncObject::Volatile(location)));
                return Ok(Some(found));
            }
            Sync::VolatileWrite(to, of) => {
                let new = value(frame, *of);
                let location = self.location(tid, to)?;
                self.heap.set(location.clone(), new);
                self.record(tid, Action::Release(SyncObject::Volatile(location)));
            }
            Sync::Other(effect, name) => {
                let object = SyncObject::Named(name.clone());
                if *effect != Effect::Release {
                    self.record(tid, Action::Acquire(object.clone()));
                }
                if *effect != Effect::Acquire {
                    self.record(tid, Action::Release(object));
                }
            }
        }
        Ok(None)
    }
}

fn value(frame: &Frame, operand: Operand) -> Value {
    match operand {
        Operand::Var(var) => frame.vars.get(var.index()).copied().unwrap_or(Value::Null),
        Operand::Int(n) => Value::Int(n),
        Operand::Null => Value::Null,
    }
}

/// All φ-functions read before any is written.
fn enter(program: &Program, frame: &mut Frame, to: BlockId) {
    let from = frame.block;
    let phis = &program.functions[frame.function.index()].blocks[to.index()].phis;
    let new: Vec<(Var, Value)> = phis
        .iter()
        .filter_map(|phi| {
            let (_, operand) = phi.from.iter().find(|(block, _)| *block == from)?;
            Some((phi.to, value(frame, *operand)))
        })
        .collect();
    for (var, value) in new {
        frame.vars[var.index()] = value;
    }
    (frame.block, frame.next) = (to, 0);
}

fn binary(op: Binary, a: Value, b: Value) -> Step1<Value> {
    let truth = |holds: bool| Ok(Value::Int(i64::from(holds)));
    match op {
        Binary::Eq => return truth(a == b),
        Binary::Ne => return truth(a != b),
        Binary::And => return truth(a != Value::Int(0) && b != Value::Int(0)),
        Binary::Or => return truth(a != Value::Int(0) || b != Value::Int(0)),
        _ => {}
    }
    let (Value::Int(a), Value::Int(b)) = (a, b) else { return Err(Stop::Trap) };
    let number = match op {
        Binary::Add => a.checked_add(b).ok_or(Stop::Broken)?,
        Binary::Sub => a.checked_sub(b).ok_or(Stop::Broken)?,
        Binary::Mul => a.checked_mul(b).ok_or(Stop::Broken)?,
        Binary::WrappingAdd => a.wrapping_add(b),
        Binary::WrappingSub => a.wrapping_sub(b),
        Binary::WrappingMul => a.wrapping_mul(b),
        Binary::Div => a.checked_div(b).ok_or(Stop::Trap)?,
        Binary::Rem => a.checked_rem(b).ok_or(Stop::Trap)?,
        Binary::Lt => return truth(a < b),
        Binary::Le => return truth(a <= b),
        Binary::Gt => return truth(a > b),
        Binary::Ge => return truth(a >= b),
        Binary::Eq | Binary::Ne | Binary::And | Binary::Or => 0,
    };
    Ok(Value::Int(number))
}
