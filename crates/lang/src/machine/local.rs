//! The instructions that only the thread itself can notice: they run at once.

use super::memory::Address;
use super::{Done, Life, Machine};
use crate::ast::{Binary, Unary};
use crate::code::{Instr, Pc, Reg, Visibility};
use deadheat_explore::{Fault, FaultKind};
use deadheat_trace::Tid;

/// A thread that does so many instructions without touching anything shared will not come to an end.
const MOST_LOCAL: u32 = 1 << 22;

impl Machine {
    /// Runs `tid` on to the next visible instruction, or to its end.
    pub(super) fn run_local(&mut self, tid: Tid) -> Done {
        for _ in 0..MOST_LOCAL {
            let thread = &mut self.threads[tid.index()];
            let pc = thread.pc;
            let instr = self.code.instrs[pc.index()];
            match instr {
                Instr::Const(r, value) => thread.set(r, value),
                Instr::Move(r, from) => thread.set(r, thread.get(from)),
                Instr::Unary(Unary::Negate, r, a) => thread.set(r, thread.get(a).wrapping_neg()),
                Instr::Unary(Unary::Not, r, a) => thread.set(r, i64::from(thread.get(a) == 0)),
                Instr::Binary(op, r, a, b) => match binary(op, thread.get(a), thread.get(b)) {
                    Some(value) => thread.set(r, value),
                    None => return Err(self.fault(tid, FaultKind::Error, "division by zero")),
                },
                Instr::Max(r, a, b) => thread.set(r, thread.get(a).max(thread.get(b))),
                Instr::Min(r, a, b) => thread.set(r, thread.get(a).min(thread.get(b))),
                Instr::SelfId(r) => thread.set(r, i64::from(tid.0)),
                Instr::Jump(to) => {
                    thread.pc = to;
                    continue;
                }
                Instr::JumpUnless(r, to) => {
                    if thread.get(r) == 0 {
                        thread.pc = to;
                        continue;
                    }
                }
                Instr::JumpBack(to) => {
                    thread.go_round();
                    if thread.spin.is_hopeless() {
                        return Err(self.fault(tid, FaultKind::Endless, "this loop goes on for ever"));
                    }
                    thread.pc = to;
                    continue;
                }
                Instr::Call(result, function, first) => {
                    let function = &self.code.functions[function.0 as usize];
                    if !thread.call(function, first, result, Pc(pc.0 + 1)) {
                        return Err(self.fault(tid, FaultKind::Error, "too many calls within calls"));
                    }
                    continue;
                }
                Instr::Return(value) => {
                    let value = value.map_or(0, |r| thread.get(r));
                    if !thread.leave(value) {
                        thread.life = Life::Finished;
                        return Ok(());
                    }
                    continue;
                }
                Instr::Assert(r) => {
                    if thread.get(r) == 0 {
                        return Err(self.fault(tid, FaultKind::Assertion, "this does not hold"));
                    }
                }
                Instr::Panic(message) => {
                    let message = self.code.messages[message as usize].clone();
                    return Err(self.fault(tid, FaultKind::Panic, message));
                }
                Instr::Print(first, count) => self.print(tid, first, count),
                _ if instr.visibility() != Visibility::Local => return Ok(()),
                _ => self.address(tid, instr)?,
            }
            self.threads[tid.index()].pc = Pc(pc.0 + 1);
        }
        Err(self.fault(tid, FaultKind::Endless, "millions of steps without touching anything shared"))
    }

    /// What makes objects and addresses.
    fn address(&mut self, tid: Tid, instr: Instr) -> Done {
        let thread = &self.threads[tid.index()];
        let (into, value) = match instr {
            Instr::FieldAddress(into, object, offset) => {
                (into, self.object(tid, object)?.plus(u64::from(offset)).value())
            }
            Instr::LockAddress(into, object) => (into, self.object(tid, object)?.value()),
            Instr::Length(into, array) => (into, self.length(self.object(tid, array)?)),
            Instr::ElementAddress(into, array, index) => {
                let array = self.object(tid, array)?;
                let index = self.index(tid, thread.get(index), self.length(array))?;
                (into, array.plus(FIRST_ELEMENT + index).value())
            }
            Instr::InlineAddress(into, array, index) => {
                let array = self.code.inline[array as usize];
                let index = self.index(tid, thread.get(index), i64::from(array.length))?;
                (into, Address::global(array.offset).plus(index).value())
            }
            Instr::CellAddress(into, pointer, index) => (into, self.cell(tid, pointer, index)?),
            Instr::New(into, fields) => (into, self.new_object(tid, usize::from(fields) + 1)?.value()),
            Instr::NewArray(into, length) => (into, self.new_array(tid, length)?),
            _ => return Ok(()),
        };
        self.threads[tid.index()].set(into, value);
        Ok(())
    }

    fn object(&self, tid: Tid, r: Reg) -> Result<Address, Fault> {
        match self.thread(tid).get(r) {
            0 => Err(self.fault(tid, FaultKind::Error, "the reference is null")),
            value => Ok(Address::of(value)),
        }
    }

    fn length(&self, array: Address) -> i64 {
        self.memory.get(array.plus(1))
    }

    fn index(&self, tid: Tid, index: i64, length: i64) -> Result<u64, Fault> {
        match (0..length).contains(&index) {
            true => Ok(index as u64),
            false => {
                let message = format!("index {index} is outside of an array of {length}");
                Err(self.fault(tid, FaultKind::Error, message))
            }
        }
    }

    /// A heap cell; whether it may be used is seen when it is.
    fn cell(&self, tid: Tid, pointer: Reg, index: Reg) -> Result<i64, Fault> {
        let thread = self.thread(tid);
        let at = Address::of(thread.get(pointer).wrapping_add(thread.get(index)));
        match at.as_heap() {
            Some(_) => Ok(at.value()),
            None => Err(self.fault(tid, FaultKind::Error, "this is no address that malloc gave out")),
        }
    }

    fn new_object(&mut self, tid: Tid, cells: usize) -> Result<Address, Fault> {
        let made = self.memory.new_object(tid.0, cells);
        made.ok_or_else(|| self.fault(tid, FaultKind::Error, "there is no room for this object"))
    }

    fn new_array(&mut self, tid: Tid, length: Reg) -> Result<i64, Fault> {
        let length = self.thread(tid).get(length);
        let cells = usize::try_from(length).ok().and_then(|n| n.checked_add(FIRST_ELEMENT as usize));
        let Some(cells) = cells else {
            return Err(self.fault(tid, FaultKind::Error, format!("an array cannot have {length} elements")));
        };
        let array = self.new_object(tid, cells)?;
        self.memory.set(array.plus(1), length);
        Ok(array.value())
    }

    fn print(&mut self, tid: Tid, first: Reg, count: u16) {
        if self.options.keep_output {
            let words: Vec<String> =
                self.thread(tid).run_of(first, count).iter().map(i64::to_string).collect();
            self.output.push(words.join(" "));
        }
    }
}

/// The cells of an array: its lock, its length, its elements.
const FIRST_ELEMENT: u64 = 2;

/// `None` for a division by zero.
fn binary(op: Binary, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide | Binary::Remainder if b == 0 => return None,
        Binary::Divide => a.wrapping_div(b),
        Binary::Remainder => a.wrapping_rem(b),
        Binary::Equal => i64::from(a == b),
        Binary::NotEqual => i64::from(a != b),
        Binary::Less => i64::from(a < b),
        Binary::LessEqual => i64::from(a <= b),
        Binary::Greater => i64::from(a > b),
        Binary::GreaterEqual => i64::from(a >= b),
        Binary::And => i64::from(a != 0 && b != 0),
        Binary::Or => i64::from(a != 0 || b != 0),
    })
}
