//! Reads instructions and locations.

use super::parse::{ParseError, Parser};
use super::*;

type Parse<T> = Result<T, ParseError>;

impl Parser {
    fn place(&mut self) -> Parse<Place> {
        let base = self.operand()?;
        let mut steps = Vec::new();
        loop {
            if self.take(".") {
                steps.push(Step::Field(self.field()?));
            } else {
                self.expect("[")?;
                let index = self.operand()?;
                steps.push(Step::Index(self.kind_of_array()?, index));
                self.expect("]")?;
            }
            if !self.take("/") {
                return Ok(Place { base, steps });
            }
        }
    }

    fn access(&mut self) -> Parse<AccessId> {
        let id = if self.take("#") { self.id()? } else { self.next_access };
        self.next_access = self.next_access.max(id + 1);
        Ok(AccessId(id))
    }

    pub(super) fn inst(&mut self) -> Parse<Inst> {
        if self.take("write") {
            let (id, to) = (self.access()?, self.place()?);
            self.expect("=")?;
            return Ok(Inst::Write(id, to, self.operand()?));
        }
        if self.take("volatile") {
            let to = self.place()?;
            self.expect("=")?;
            return Ok(Inst::Sync(Sync::VolatileWrite(to, self.operand()?)));
        }
        for (word, make) in
            [("lock", Sync::Lock as fn(_) -> _), ("unlock", Sync::Unlock), ("join", Sync::Join)]
        {
            if self.take(word) {
                return Ok(Inst::Sync(make(self.operand()?)));
            }
        }
        if self.take("sync") {
            let effect = match self.name()?.as_str() {
                "acquire" => Effect::Acquire,
                "release" => Effect::Release,
                "both" => Effect::Both,
                _ => return self.error("expected acquire, release or both"),
            };
            return Ok(Inst::Sync(Sync::Other(effect, self.name()?)));
        }
        if self.sees("call") || self.sees("fork") {
            return self.call(None);
        }
        let name = self.name()?;
        let to = self.var(name);
        self.expect("=")?;
        self.definition(to)
    }

    fn definition(&mut self, to: Var) -> Parse<Inst> {
        if self.sees("call") || self.sees("fork") {
            self.call(Some(to))
        } else if self.take("read") {
            Ok(Inst::Read(self.access()?, to, self.place()?))
        } else if self.take("volatile") {
            Ok(Inst::Sync(Sync::VolatileRead(to, self.place()?)))
        } else if self.take("new") {
            let site = SiteId(self.id()?);
            if !self.take("[") {
                return Ok(Inst::New(to, site, Shape::Object));
            }
            let length = self.operand()?;
            let shape = Shape::Array(self.kind_of_array()?, length);
            self.expect("]")?;
            Ok(Inst::New(to, site, shape))
        } else if self.take("not") {
            Ok(Inst::Let(to, Pure::Not(self.operand()?)))
        } else if self.take("len") {
            Ok(Inst::Let(to, Pure::Length(self.operand()?)))
        } else if self.take("unknown") {
            Ok(Inst::Let(to, Pure::Unknown))
        } else {
            let left = self.operand()?;
            let Some((_, op)) = super::print::BINARY.iter().find(|(sign, _)| self.sees(sign)) else {
                return Ok(Inst::Let(to, Pure::Copy(left)));
            };
            self.at += 1;
            Ok(Inst::Let(to, Pure::Binary(*op, left, self.operand()?)))
        }
    }

    fn arguments(&mut self) -> Parse<Vec<Operand>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.take(")") {
            arguments.push(self.operand()?);
            self.take(",");
        }
        Ok(arguments)
    }

    fn call(&mut self, to: Option<Var>) -> Parse<Inst> {
        let fork = self.take("fork");
        if !fork {
            self.expect("call")?;
        }
        if self.take("unknown") {
            return Ok(Inst::Call(to, Callee::Unknown(self.name()?), self.arguments()?));
        }
        if self.take("summary") {
            let (name, arguments) = (self.name()?, self.arguments()?);
            // In a summary the parameters are p0, p1, ..: their numbers are those of the arguments.
            let (outer, names) = (std::mem::take(&mut self.vars), std::mem::take(&mut self.names));
            (0..arguments.len()).for_each(|n| _ = self.var(format!("p{n}")));
            let spec = self.spec()?.unwrap_or_default();
            (self.vars, self.names) = (outer, names);
            return Ok(Inst::Call(to, Callee::Summary(name, spec), arguments));
        }
        let name = self.name()?;
        let Some(at) = self.functions.iter().position(|f| *f == name) else {
            return self.error(format!("no function `{name}`"));
        };
        let (id, arguments) = (FuncId(at as u32), self.arguments()?);
        Ok(if fork {
            Inst::Sync(Sync::Fork(to, id, arguments))
        } else {
            Inst::Call(to, Callee::Known(id), arguments)
        })
    }
}
