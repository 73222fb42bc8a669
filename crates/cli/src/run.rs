//! The one loop behind all commands: read, check that the trace can happen, hand it on.

use crate::args;
use crate::failure::Failure;
use crate::input::Input;
use crate::limit::MemoryLimit;
use crate::output::note;
use crate::progress::Progress;
use deadheat_trace::{Batch, Event, EventId, Feasibility, Symbols};

/// Between two looks at the memory in use at most this many events are handled.
const STRIDE: usize = 64;

/// Repairs are told one by one up to here.
const REPAIRS_TOLD: usize = 20;

/// Takes the events as they come, neighbours together, with the number of the first.
pub type Taker<'a> = dyn FnMut(EventId, &[Event], &Symbols) -> Flow + 'a;

/// A trace on its way through a command.
pub struct Run {
    input: Input,
    lenient: bool,
    limit: MemoryLimit,
    feasible: Feasibility,
    /// Events handed on.
    pub events: u64,
    /// What was repaired, in words.
    repairs: Vec<String>,
    /// How many repairs there were.
    repaired: u64,
}

impl Run {
    /// Opens the trace.
    pub fn open(args: &args::Input) -> Result<Run, Failure> {
        let limit = MemoryLimit::new(args.memory_limit);
        let input = Input::open(&args.file, limit)?;
        let feasible = Feasibility::default();
        Ok(Run { input, lenient: args.lenient, limit, feasible, events: 0, repairs: Vec::new(), repaired: 0 })
    }

    /// What the trace is called.
    pub fn name(&self) -> &str {
        &self.input.name
    }

    /// The names in it.
    pub fn symbols(&self) -> &Symbols {
        self.input.symbols()
    }

    /// Hands every event to `f`, until `f` says that it is enough. Then says what `--lenient` repaired.
    ///
    /// At a mistake in the trace the events before it have been handed on.
    pub fn each(&mut self, f: &mut Taker<'_>) -> Result<(), Failure> {
        let read = self.read(f);
        self.tell_repairs();
        read
    }

    /// How many repairs there were, if there could be any.
    pub fn repaired(&self) -> Option<u64> {
        self.lenient.then_some(self.repaired)
    }

    fn read(&mut self, f: &mut Taker<'_>) -> Result<(), Failure> {
        let mut progress = Progress::new(self.input.size);
        let (mut batch, mut repaired) = (Batch::default(), Vec::new());
        while self.input.next_batch(&mut batch)? {
            let flow = match self.lenient {
                false => self.strict(&batch, f)?,
                true => self.repair(&batch, &mut repaired, f)?,
            };
            if flow == Flow::Stop {
                return Ok(());
            }
            progress.at(self.input.read(), self.events);
        }
        if batch.id(0) == EventId(0) {
            return Err(Failure::at(self.name(), "the trace has no events"));
        }
        Ok(())
    }

    fn strict(&mut self, batch: &Batch, f: &mut Taker<'_>) -> Result<Flow, Failure> {
        let violation =
            batch.events.iter().enumerate().find_map(|(i, e)| Some((i, self.feasible.check(e).err()?)));
        let good = violation.as_ref().map_or(batch.events.len(), |(i, _)| *i);
        for (n, events) in batch.events[..good].chunks(STRIDE).enumerate() {
            if self.hand_on(batch.id(n * STRIDE), events, f)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        let Some((i, violation)) = violation else { return Ok(Flow::Go) };
        let (what, rule) = (violation.describe(self.symbols()), violation.rule());
        let what = format!("this cannot happen: {what} [{rule}]; --lenient repairs such logs");
        Err(Failure::at(self.input.place(batch.position(i)), what))
    }

    fn repair(
        &mut self,
        batch: &Batch,
        repaired: &mut Vec<Event>,
        f: &mut Taker<'_>,
    ) -> Result<Flow, Failure> {
        for (i, event) in batch.events.iter().enumerate() {
            repaired.clear();
            for repair in self.feasible.admit_lenient(event, repaired) {
                self.repaired += 1;
                if self.repairs.len() < REPAIRS_TOLD {
                    let (place, what) =
                        (self.input.place(batch.position(i)), repair.describe(self.input.symbols()));
                    self.repairs.push(format!("{place}: {what}"));
                }
            }
            // Each on its own: what was put in has the number of the event it was put before, so that numbers stay those of the file.
            for event in repaired.chunks(1) {
                if self.hand_on(batch.id(i), event, f)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        Ok(Flow::Go)
    }

    fn hand_on(&mut self, first: EventId, events: &[Event], f: &mut Taker<'_>) -> Result<Flow, Failure> {
        let flow = f(first, events, self.input.symbols());
        self.events += events.len() as u64;
        self.limit.check()?;
        Ok(flow)
    }

    fn tell_repairs(&self) {
        self.repairs.iter().for_each(|repair| note(&format!("repaired: {repair}")));
        let told = self.repairs.len() as u64;
        if self.repaired > told {
            note(&format!("repaired: {} more", self.repaired - told));
        }
    }
}

/// Whether to go on with the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Go on.
    Go,
    /// Enough.
    Stop,
}
