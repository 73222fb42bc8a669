//! Random structured programs over few objects, so that aliases and repeated accesses are common.

use fastrand::Rng;

pub const INTS: usize = 3;
pub const OBJECTS: usize = 3;
pub const ARRAYS: usize = 2;
pub const ROWS: usize = 1;
/// Fields: two that hold numbers, two that hold objects, a volatile one.
pub const NUMBER_FIELDS: [&str; 3] = ["x", "y", "z"];
pub const OBJECT_FIELDS: [&str; 2] = ["f", "g"];

#[derive(Clone, Debug)]
pub enum Num {
    Const(i64),
    Var(usize),
    Plus(usize, i64),
    Twice(usize),
    Length(usize),
}

#[derive(Clone, Debug)]
pub enum Cond {
    Less(Num, Num),
    Same(usize, usize),
    Unknown,
}

#[derive(Clone, Debug)]
pub enum S {
    SetInt(usize, Num),
    SetWrapping(usize, usize, i64),
    CopyObject(usize, usize),
    CopyArray(usize, usize),
    ReadNumber(usize, usize, usize),
    WriteNumber(usize, usize, Num),
    ReadObject(usize, usize, usize),
    WriteObject(usize, usize, usize),
    ReadElement(usize, usize, Num),
    WriteElement(usize, Num, Num),
    ReadRow(usize, Num),
    WriteRow(Num, usize),
    New(usize),
    If(Cond, Vec<S>, Vec<S>),
    For {
        var: usize,
        from: Num,
        to: Num,
        step: i64,
        wraps: bool,
        body: Vec<S>,
    },
    BreakIf(Cond),
    Locked(usize, Vec<S>),
    VolatileRead(usize, usize),
    VolatileWrite(usize, Num),
    Fork(usize),
    Join,
    Call(usize),
    Outside(usize),
    Harmless,
    Other(usize),
    Return(Cond),
    /// Number fields of one object one after the other, in that order; a write if so; something else before the second.
    Point(usize, [usize; 3], bool, Option<Box<S>>),
    /// Four elements in a row.
    Four(usize, [usize; 4], bool),
}

#[derive(Clone, Debug)]
pub struct Source {
    pub main: Vec<S>,
    pub workers: Vec<Vec<S>>,
    pub helpers: Vec<Vec<S>>,
}

pub struct Maker<'a> {
    pub rng: &'a mut Rng,
    pub workers: usize,
    pub helpers: usize,
    pub unknown: bool,
    pub points: bool,
}

pub fn source(rng: &mut Rng, unknown: bool) -> Source {
    make(rng, unknown, false)
}

/// Programs in which proxies are likely: fields are accessed together, arrays swept from the start.
pub fn points(rng: &mut Rng) -> Source {
    make(rng, false, true)
}

fn make(rng: &mut Rng, unknown: bool, points: bool) -> Source {
    let (workers, helpers) = (rng.usize(1..=2), rng.usize(0..=2));
    let mut maker = Maker { rng, workers, helpers, unknown, points };
    let mut main = vec![S::Fork(0)];
    main.extend(maker.body(0, false, usize::MAX));
    if maker.rng.bool() {
        main.insert(0, S::Fork(workers - 1));
    }
    let worker_bodies = (0..workers).map(|_| maker.body(0, false, usize::MAX)).collect();
    // A helper calls only later ones, so that runs end.
    let helpers = (0..helpers).map(|n| maker.body(1, false, n)).collect();
    Source { main, workers: worker_bodies, helpers }
}

impl Maker<'_> {
    fn pick(&mut self, n: usize) -> usize {
        self.rng.usize(..n)
    }

    fn body(&mut self, depth: usize, in_loop: bool, helper: usize) -> Vec<S> {
        let n = self.rng.usize(1..=if depth == 0 { 9 } else { 4 });
        let mut all = Vec::new();
        for _ in 0..n {
            self.statement(depth, in_loop, helper, &mut all);
            // Real programs come back to what they touched.
            for _ in 0..2 {
                let again = all[self.pick(all.len())].clone();
                if self.pick(2) == 0 && !matches!(again, S::Fork(_)) {
                    all.push(again);
                }
            }
        }
        all
    }

    fn num(&mut self) -> Num {
        match self.pick(8) {
            0 | 1 => Num::Const(self.rng.i64(0..4)),
            2 => Num::Plus(self.pick(INTS), self.rng.i64(-1..=2)),
            3 => Num::Length(self.pick(ARRAYS)),
            4 => Num::Twice(self.pick(INTS)),
            _ => Num::Var(self.pick(INTS)),
        }
    }

    /// Mostly within bounds.
    fn index(&mut self) -> Num {
        match self.pick(4) {
            0 => self.num(),
            _ => Num::Const(self.rng.i64(0..3)),
        }
    }

    fn cond(&mut self) -> Cond {
        match self.pick(4) {
            0 => Cond::Same(self.pick(OBJECTS), self.pick(OBJECTS)),
            1 => Cond::Unknown,
            _ => Cond::Less(self.num(), self.num()),
        }
    }

    /// A loop over an array in one of the usual ways.
    fn sweep(&mut self, depth: usize, helper: usize) -> S {
        let (var, array) = (self.pick(INTS), self.pick(ARRAYS));
        let step = [1, 1, 1, 2, -1, -2][self.pick(6)];
        let (from, to) = match step > 0 {
            true => (
                Num::Const(self.rng.i64(0..2)),
                if self.rng.bool() { Num::Length(array) } else { Num::Const(4) },
            ),
            false => (Num::Const(3), Num::Const(-1)),
        };
        let index = match self.pick(6) {
            0 => Num::Plus(var, self.rng.i64(-1..=1)),
            1 => Num::Twice(var),
            _ => Num::Var(var),
        };
        let mut body = Vec::new();
        if self.pick(4) == 0 {
            body.push(S::ReadRow(array, index.clone()));
            let inner = (var + 1) % INTS;
            let access = S::WriteElement(array, Num::Var(inner), Num::Const(1));
            body.push(S::For {
                var: inner,
                from: Num::Const(0),
                to: Num::Length(array),
                step: 1,
                wraps: false,
                body: vec![access],
            });
        } else {
            body.push(match self.rng.bool() {
                true => S::WriteElement(array, index.clone(), Num::Var(var)),
                false => S::ReadElement((var + 1) % INTS, array, index),
            });
        }
        if depth < 2 && self.pick(3) == 0 {
            self.statement(depth + 1, true, helper, &mut body);
        }
        S::For { var, from, to, step, wraps: self.rng.bool(), body }
    }

    fn point(&mut self, o: usize, depth: usize, helper: usize) -> S {
        let order =
            [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]][if self.pick(3) == 0 { self.pick(4) } else { 0 }];
        let mut between = Vec::new();
        if depth < 3 && self.pick(12) == 0 {
            self.statement(depth + 1, false, helper, &mut between);
        }
        let between = between.pop().filter(|s| !matches!(s, S::Point(..) | S::Call(_) | S::Fork(_)));
        S::Point(o, order, self.rng.bool(), between.map(Box::new))
    }

    fn four(&mut self, a: usize) -> S {
        let order = if self.pick(4) == 0 { [1, 0, 2, 3] } else { [0, 1, 2, 3] };
        match self.rng.bool() {
            true => S::Four(a, order, self.rng.bool()),
            false => {
                let var = self.pick(INTS);
                let (index, value) = (Num::Var(var), Num::Const(1));
                let body = vec![S::WriteElement(a, index, value)];
                S::For { var, from: Num::Const(0), to: Num::Length(a), step: 1, wraps: false, body }
            }
        }
    }

    fn statement(&mut self, depth: usize, in_loop: bool, helper: usize, all: &mut Vec<S>) {
        let (i, o, a) = (self.pick(INTS), self.pick(OBJECTS), self.pick(ARRAYS));
        let (nf, of) = (self.pick(NUMBER_FIELDS.len()), self.pick(OBJECT_FIELDS.len()));
        let chosen = self.pick(40);
        if self.points && (5..=13).contains(&chosen) {
            let point = self.point(o, depth, helper);
            return all.push(point);
        }
        if self.points && ((19..=22).contains(&chosen) || (28..=30).contains(&chosen)) {
            let four = self.four(a);
            return all.push(four);
        }
        all.push(match chosen {
            0 => S::SetInt(i, self.num()),
            1 => S::SetWrapping(i, self.pick(INTS), self.rng.i64(1..3)),
            2 | 3 => S::CopyObject(o, self.pick(OBJECTS)),
            4 => S::CopyArray(a, self.pick(ARRAYS)),
            5..=9 => S::ReadNumber(i, o, nf),
            10..=13 => S::WriteNumber(o, nf, self.num()),
            14..=16 => S::ReadObject(o, self.pick(OBJECTS), of),
            17 | 18 => S::WriteObject(o, of, self.pick(OBJECTS)),
            19 | 20 => S::ReadElement(i, a, self.index()),
            21 | 22 => S::WriteElement(a, self.index(), self.num()),
            23 => S::ReadRow(a, self.index()),
            24 => S::WriteRow(Num::Const(self.rng.i64(0..3)), a),
            25 => S::New(o),
            26 | 27 if depth < 3 => S::If(
                self.cond(),
                self.body(depth + 1, in_loop, helper),
                self.body(depth + 1, in_loop, helper),
            ),
            28..=30 if depth < 2 => self.sweep(depth, helper),
            31 if in_loop => S::BreakIf(self.cond()),
            32 | 33 if depth < 3 => S::Locked(o, self.body(depth + 1, false, helper)),
            34 => S::VolatileRead(i, o),
            35 => S::VolatileWrite(o, self.num()),
            36 if depth == 0 && helper == usize::MAX => S::Fork(self.pick(self.workers)),
            37 => S::Join,
            38 if self.helpers > 0 && (helper == usize::MAX || helper + 1 < self.helpers) => {
                let first = if helper == usize::MAX { 0 } else { helper + 1 };
                S::Call(self.rng.usize(first..self.helpers))
            }
            39 if self.unknown => match self.pick(4) {
                0 | 1 => S::Outside(o),
                2 => S::Other(self.pick(3)),
                _ => S::Return(self.cond()),
            },
            39 => S::Harmless,
            _ if self.points => S::Harmless,
            _ => S::ReadNumber(i, o, nf),
        });
    }
}
