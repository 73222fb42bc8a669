//! Linear integer constraints: elimination of equalities, then Fourier–Motzkin with gcd tightening and a budget.

/// `constant + Σ factor · variable`, variables in order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Form {
    pub(super) parts: Vec<(u32, i128)>,
    pub(super) constant: i128,
}

/// Numbers beyond this are given up on.
const LARGE: i128 = 1 << 100;

/// Constraints that Fourier–Motzkin may hold at once.
const MOST: usize = 160;

impl Form {
    pub(super) fn variable(v: u32) -> Form {
        Form { parts: vec![(v, 1)], constant: 0 }
    }

    pub(super) fn constant(n: i128) -> Form {
        Form { parts: Vec::new(), constant: n }
    }

    /// `self + factor · other`; `None` if a number gets too large.
    pub(super) fn plus(&self, other: &Form, factor: i128) -> Option<Form> {
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut a, mut b) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(x), Some(y)) if x.0 == y.0 => {
                    let sum = (x.0, x.1.checked_add(y.1.checked_mul(factor)?)?);
                    a.next();
                    b.next();
                    sum
                }
                (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => {
                    let x = **x;
                    a.next();
                    x
                }
                (_, Some(y)) => {
                    let y = (y.0, y.1.checked_mul(factor)?);
                    b.next();
                    y
                }
                (Some(_), None) => break,
            };
            if next.1.abs() > LARGE {
                return None;
            }
            if next.1 != 0 {
                parts.push(next);
            }
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        (constant.abs() <= LARGE).then_some(Form { parts, constant })
    }

    pub(super) fn factor(&self, v: u32) -> i128 {
        self.parts.binary_search_by_key(&v, |p| p.0).map_or(0, |at| self.parts[at].1)
    }

    fn gcd(&self) -> i128 {
        self.parts.iter().fold(0, |g, (_, n)| gcd(g, n.abs()))
    }

    /// The strongest integer reading of `self ≤ 0`.
    fn tightened(mut self) -> Form {
        let g = self.gcd();
        if g > 1 {
            self.parts.iter_mut().for_each(|p| p.1 /= g);
            self.constant = -((-self.constant).div_euclid(g));
        }
        self
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What a set of constraints came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Contradiction,
    Unknown,
}

/// Solved equalities: `variable = form` over variables that are not solved.
#[derive(Default)]
pub(super) struct Equalities {
    solved: Vec<(u32, Form)>,
    /// Those without a unit factor, as they are.
    pub(super) rest: Vec<Form>,
}

impl Equalities {
    /// With the solved variables replaced; `None` if numbers get too large.
    pub(super) fn reduce(&self, form: &Form) -> Option<Form> {
        let mut form = form.clone();
        for (v, value) in &self.solved {
            let factor = form.factor(*v);
            if factor != 0 {
                form = form.plus(&Form::variable(*v), -factor)?.plus(value, factor)?;
            }
        }
        Some(form)
    }

    /// Adds `form = 0`.
    pub(super) fn add(&mut self, form: &Form) -> Verdict {
        let Some(form) = self.reduce(form) else { return Verdict::Unknown };
        if form.parts.is_empty() {
            return if form.constant == 0 { Verdict::Unknown } else { Verdict::Contradiction };
        }
        let g = form.gcd();
        if form.constant % g != 0 {
            return Verdict::Contradiction;
        }
        let form = Form {
            parts: form.parts.iter().map(|(v, n)| (*v, n / g)).collect(),
            constant: form.constant / g,
        };
        let Some((v, n)) = form.parts.iter().rev().find(|p| p.1.abs() == 1).copied() else {
            self.rest.push(form);
            return Verdict::Unknown;
        };
        // v = −n · (form − n·v)
        let rest = form.plus(&Form::variable(v), -n);
        let Some(value) = rest.and_then(|rest| Form::default().plus(&rest, -n)) else {
            return Verdict::Unknown;
        };
        let one = Equalities { solved: vec![(v, value.clone())], rest: Vec::new() };
        for (_, other) in &mut self.solved {
            match one.reduce(other) {
                Some(new) => *other = new,
                // What cannot be written down is forgotten, with all that hangs on it.
                None => return Verdict::Unknown,
            }
        }
        self.solved.push((v, value));
        Verdict::Unknown
    }
}

/// Constraints `form ≤ 0`.
#[derive(Clone, Default)]
pub(super) struct Inequalities {
    forms: Vec<Form>,
    contradiction: bool,
}

impl Inequalities {
    /// Adds `form ≤ 0`, unless something at least as strong is there.
    pub(super) fn add(&mut self, form: Form) {
        let form = form.tightened();
        if form.parts.is_empty() {
            self.contradiction |= form.constant > 0;
            return;
        }
        match self.forms.iter_mut().find(|f| f.parts == form.parts) {
            Some(same) => same.constant = same.constant.max(form.constant),
            None => self.forms.push(form),
        }
    }

    /// `form = 0` for every pair `form ≤ 0`, `−form ≤ 0`.
    pub(super) fn tight(&self) -> Vec<Form> {
        let mut found = Vec::new();
        for (n, a) in self.forms.iter().enumerate() {
            let opposite = self.forms[n + 1..].iter().find(|b| {
                a.constant == -b.constant
                    && a.parts.len() == b.parts.len()
                    && a.parts.iter().zip(&b.parts).all(|(x, y)| x.0 == y.0 && x.1 == -y.1)
            });
            if opposite.is_some() {
                found.push(a.clone());
            }
        }
        found
    }

    /// Fourier–Motzkin: is there no solution?
    pub(super) fn refuted(&self) -> bool {
        let mut work = self.clone();
        loop {
            if work.contradiction {
                return true;
            }
            if work.forms.is_empty() || work.forms.len() > MOST {
                return false;
            }
            let Some(v) = work.cheapest() else { return false };
            work = work.without(v);
        }
    }

    /// The variable whose elimination makes the fewest new constraints.
    fn cheapest(&self) -> Option<u32> {
        let mut signs: Vec<(u32, i64, i64)> = Vec::new();
        for (v, n) in self.forms.iter().flat_map(|f| &f.parts) {
            let at = signs.binary_search_by_key(v, |s| s.0).unwrap_or_else(|at| {
                signs.insert(at, (*v, 0, 0));
                at
            });
            if *n > 0 { signs[at].1 += 1 } else { signs[at].2 += 1 }
        }
        signs.into_iter().min_by_key(|(_, up, down)| up * down - up - down).map(|s| s.0)
    }

    fn without(self, v: u32) -> Inequalities {
        let mut next = Inequalities { forms: Vec::new(), contradiction: self.contradiction };
        let (mut upper, mut lower) = (Vec::new(), Vec::new());
        for form in self.forms {
            match form.factor(v) {
                0 => next.add(form),
                n if n > 0 => upper.push((n, form)),
                n => lower.push((-n, form)),
            }
        }
        for (up, a) in &upper {
            for (low, b) in &lower {
                let scaled = Form::default().plus(a, *low);
                // A combination whose numbers do not fit is left out: fewer constraints, still sound.
                if let Some(sum) = scaled.and_then(|scaled| scaled.plus(b, *up)) {
                    next.add(sum);
                }
                if next.contradiction || next.forms.len() > MOST {
                    return next;
                }
            }
        }
        next
    }
}
