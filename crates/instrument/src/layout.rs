//! Where the clocks of the instrumented program lie: a row of `threads` cells for each thread, lock and location.

use crate::refuse::{refuse, too_large};
use deadheat_lang::Error;
use deadheat_lang::ast::{Atomicity, Program, Span, Type};
use std::collections::HashMap;

/// The largest number of clock components: a million cells are too many to look at.
const MOST_CELLS: u64 = 1 << 19;

/// Rows and their owners.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The number of each thread's `spawn`, by its place; main is 0.
    spawns: HashMap<Span, u32>,
    /// For each global the first of its rows among locations or locks, and how many it has: arrays have one for each element.
    rows: HashMap<String, Rows>,
    /// For each cell of the globals the location in it.
    location_of: HashMap<u32, u32>,
    locations: u32,
    locks: u32,
    /// The program's own cells, cell 0 included.
    own_cells: u32,
}

/// The rows of one global.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub first: u32,
    /// The length of an array; `None` for a single cell.
    pub length: Option<u32>,
    pub is_lock: bool,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Result<Layout, Vec<Error>> {
        let mut layout = Layout { own_cells: 1, ..Layout::default() };
        let mut errors = Vec::new();
        errors.extend(program.classes.iter().map(|c| refuse(c.name.span, "classes")));
        let functions = program.functions.iter().map(|f| &f.name);
        let taken =
            program.globals.iter().map(|g| &g.name).chain(functions).filter(|n| n.text.starts_with("__"));
        errors.extend(taken.map(|name| refuse(name.span, "names that start with `__`, which are its own")));
        for global in &program.globals {
            let (element, length) = match &global.ty {
                Type::Inline(element, length) => (&**element, Some(*length)),
                ty => (ty, None),
            };
            let count = match element {
                Type::Mutex => &mut layout.locks,
                Type::Int | Type::Bool if global.access == Atomicity::Plain => &mut layout.locations,
                Type::Int | Type::Bool => {
                    errors.push(refuse(global.name.span, "atomic variables"));
                    continue;
                }
                _ => {
                    errors.push(refuse(global.name.span, "references"));
                    continue;
                }
            };
            let rows = Rows { first: *count, length, is_lock: *element == Type::Mutex };
            let cells = length.unwrap_or(1);
            *count += cells;
            if !rows.is_lock {
                let own = layout.own_cells;
                layout.location_of.extend((0..cells).map(|i| (own + i, rows.first + i)));
            }
            layout.own_cells += cells;
            layout.rows.insert(global.name.text.clone(), rows);
        }
        layout.number_spawns(program);
        let rows = u64::from(layout.locations) * 2 + u64::from(layout.locks) + u64::from(layout.threads());
        if rows * u64::from(layout.threads()) > MOST_CELLS {
            errors.push(too_large());
        }
        match errors.is_empty() {
            true => Ok(layout),
            false => Err(errors),
        }
    }

    fn number_spawns(&mut self, program: &Program) {
        let blocks =
            program.main.iter().chain(program.threads.iter().map(|t| &t.body)).chain(&program.finally);
        self.spawns = (1..).zip(program.threads.iter().map(|t| t.body.span)).map(|(n, at)| (at, n)).collect();
        let mut found = Vec::new();
        blocks.for_each(|block| crate::expr::spawns(block, &mut found));
        for span in found {
            let next = self.spawns.len() as u32 + 1;
            self.spawns.entry(span).or_insert(next);
        }
    }

    /// How many threads the program has: `z` of Figure 8.
    pub fn threads(&self) -> u32 {
        self.spawns.len() as u32 + 1
    }

    /// How many locations are watched.
    pub fn locations(&self) -> u32 {
        self.locations
    }

    /// How many locks there are.
    pub fn locks(&self) -> u32 {
        self.locks
    }

    /// The arrays of clocks in the order in which they lie after the program's own globals, with their rows.
    pub fn clocks(&self) -> [(&'static str, u32); 4] {
        [("__C", self.threads()), ("__L", self.locks), ("__R", self.locations), ("__W", self.locations)]
    }

    /// How many cells are the program's own: the first ones.
    pub fn own_cells(&self) -> usize {
        self.own_cells as usize
    }

    /// How many cells the clocks take, after the program's own.
    pub fn clock_cells(&self) -> usize {
        self.clocks().iter().map(|(_, rows)| (rows * self.threads()) as usize).sum()
    }

    /// The number of the thread that the `spawn` at that place starts.
    pub(crate) fn thread_at(&self, spawn: Span) -> Option<u32> {
        self.spawns.get(&spawn).copied()
    }

    pub(crate) fn rows(&self, global: &str) -> Option<Rows> {
        self.rows.get(global).copied()
    }

    /// The location in that cell.
    pub(crate) fn location(&self, cell: u32) -> Option<u32> {
        self.location_of.get(&cell).copied()
    }
}
