//! Reads the text format: programs for tests and dumps.
//!
//! ```text
//! closed                                    // the whole program is here
//! field f   field g   array rows
//! export fn main(a, n) {
//! entry:  jump head
//! head:   i = phi [entry: 0, body: next]
//!         go = i < n
//!         branch go body done
//! body:   row = read a[i : rows]            // `[i]` alone is the array kind `elements`
//!         write row.f = i                   // `/` joins the steps of one address: a[i]/.f
//!         next = i + 1                      // `+%` wraps
//!         jump head
//! done:   lock a   unlock a   return
//! }
//! ```

use super::lex::{Token, Word, words};
use super::*;
use std::collections::HashMap;
use std::sync::Arc;

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// From 1.
    pub line: u32,
    /// What.
    pub what: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for ParseError {}

type Parse<T> = Result<T, ParseError>;

/// Reads a program and checks that it is well-formed.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let tokens = words(text).map_err(|(line, what)| ParseError { line, what })?;
    let mut parser = Parser { tokens, ..Parser::default() };
    parser.program()?;
    parser.program.check().map_err(|invalid| ParseError { line: 0, what: invalid.to_string() })?;
    Ok(parser.program)
}

#[derive(Default)]
pub(super) struct Parser {
    tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) program: Program,
    classes: Vec<String>,
    pub(super) functions: Vec<String>,
    pub(super) next_access: u32,
    pub(super) vars: HashMap<String, Var>,
    pub(super) bound: Vec<String>,
    pub(super) names: Vec<String>,
    blocks: HashMap<String, BlockId>,
}

impl Parser {
    pub(super) fn error<T>(&self, what: impl Into<String>) -> Parse<T> {
        let line = self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.line);
        Err(ParseError { line, what: what.into() })
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<&Word> {
        self.tokens.get(self.at + ahead).map(|t| &t.word)
    }

    pub(super) fn sees(&self, word: &str) -> bool {
        match self.peek(0) {
            Some(Word::Name(name)) => name == word,
            Some(Word::Sign(sign)) => *sign == word,
            _ => false,
        }
    }

    pub(super) fn take(&mut self, word: &str) -> bool {
        let seen = self.sees(word);
        self.at += usize::from(seen);
        seen
    }

    pub(super) fn expect(&mut self, word: &str) -> Parse<()> {
        if self.take(word) { Ok(()) } else { self.error(format!("expected `{word}`")) }
    }

    pub(super) fn name(&mut self) -> Parse<String> {
        match self.peek(0) {
            Some(Word::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => self.error("expected a name"),
        }
    }

    /// A number; the lexer keeps it negated, so that the least one fits.
    pub(super) fn int(&mut self) -> Parse<Option<i64>> {
        let negative = self.sees("-") && matches!(self.peek(1), Some(Word::Int(_)));
        let Some(Word::Int(minus)) = self.peek(usize::from(negative)).cloned() else { return Ok(None) };
        self.at += 1 + usize::from(negative);
        match negative {
            true => Ok(Some(minus)),
            false => minus.checked_neg().map(Some).map_or_else(|| self.error("too large"), Ok),
        }
    }

    pub(super) fn number(&mut self) -> Parse<i64> {
        self.int()?.map_or_else(|| self.error("expected a number"), Ok)
    }

    pub(super) fn id(&mut self) -> Parse<u32> {
        let n = self.number()?;
        u32::try_from(n).ok().filter(|n| *n < 1 << 24).map_or_else(|| self.error("not an id"), Ok)
    }

    fn program(&mut self) -> Parse<()> {
        self.program.arrays.push(Array { name: "elements".into(), class: ClassId(0) });
        self.classes.push("elements".into());
        let all = self.tokens.windows(2).filter(|w| w[0].word == Word::Name("fn".into()));
        self.functions =
            all.filter_map(|w| if let Word::Name(n) = &w[1].word { Some(n.clone()) } else { None }).collect();
        while self.peek(0).is_some() {
            if self.take("closed") {
                self.program.world = World::Closed;
            } else if self.take("field") {
                let (name, class) = self.declared()?;
                let slot = self.program.fields.len() as i64;
                let (offset, width) = match self.take("at") {
                    true => {
                        let offset = self.number()?;
                        self.expect("width")?;
                        (offset, self.id()?)
                    }
                    false => (slot * 8, 8),
                };
                self.program.fields.push(Field { name, class, offset, width });
            } else if self.take("array") {
                let (name, class) = self.declared()?;
                self.program.arrays.push(Array { name, class });
            } else {
                self.function()?;
            }
        }
        Ok(())
    }

    /// `f` or `f class c`
    fn declared(&mut self) -> Parse<(String, ClassId)> {
        let name = self.name()?;
        let class = if self.take("class") { self.name()? } else { name.clone() };
        let known = self.classes.iter().position(|c| *c == class);
        let at = known.unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        Ok((name, ClassId(at as u32)))
    }

    pub(super) fn class_named(&self, name: &str) -> Option<ClassId> {
        self.classes.iter().position(|c| c == name).map(|c| ClassId(c as u32))
    }

    pub(super) fn var(&mut self, name: String) -> Var {
        if let Some(var) = self.vars.get(&name) {
            return *var;
        }
        let var = Var(self.names.len() as u32);
        self.names.push(name.clone());
        self.vars.insert(name, var);
        var
    }

    fn function(&mut self) -> Parse<()> {
        let linkage = if self.take("export") { Linkage::Exported } else { Linkage::Internal };
        self.expect("fn")?;
        let name = self.name()?;
        (self.vars, self.names, self.blocks) = Default::default();
        let mut params = Vec::new();
        self.expect("(")?;
        while !self.take(")") {
            let name = self.name()?;
            params.push(self.var(name));
            self.take(",");
        }
        let spec = self.spec()?;
        self.expect("{")?;
        self.find_labels();
        let mut blocks = Vec::new();
        while !self.take("}") {
            blocks.push(self.block()?);
        }
        let vars = std::mem::take(&mut self.names);
        self.program.functions.push(Function { name, linkage, params, vars, blocks, spec });
        Ok(())
    }

    /// A name before a colon is a label, except inside brackets.
    fn find_labels(&mut self) {
        let (mut at, mut depth) = (self.at, 0i32);
        while let Some(token) = self.tokens.get(at) {
            match &token.word {
                Word::Sign("}") if depth == 0 => break,
                Word::Sign("[" | "{") => depth += 1,
                Word::Sign("]" | "}") => depth -= 1,
                Word::Name(name)
                    if depth == 0
                        && matches!(self.tokens.get(at + 1), Some(t) if t.word == Word::Sign(":")) =>
                {
                    let id = BlockId(self.blocks.len() as u32);
                    self.blocks.entry(name.clone()).or_insert(id);
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn label(&mut self) -> Parse<BlockId> {
        let name = self.name()?;
        self.blocks.get(&name).copied().map_or_else(|| self.error(format!("no block `{name}`")), Ok)
    }

    fn block(&mut self) -> Parse<Block> {
        let name = self.name()?;
        self.expect(":")?;
        let (mut phis, mut insts) = (Vec::new(), Vec::new());
        let end = loop {
            if self.take("jump") {
                break End::Jump(self.label()?);
            } else if self.take("branch") {
                break End::Branch(self.operand()?, self.label()?, self.label()?);
            } else if self.take("return") {
                let label = self.peek(1) == Some(&Word::Sign(":"));
                break End::Return(if self.sees("}") || label { None } else { Some(self.operand()?) });
            } else if self.take("stop") {
                break End::Stop;
            } else if matches!(self.peek(2), Some(Word::Name(n)) if n == "phi")
                && self.peek(1) == Some(&Word::Sign("="))
            {
                phis.push(self.phi()?);
            } else {
                insts.push(self.inst()?);
            }
        };
        Ok(Block { name, phis, insts, end })
    }

    fn phi(&mut self) -> Parse<Phi> {
        let name = self.name()?;
        let to = self.var(name);
        self.at += 2;
        self.expect("[")?;
        let mut from = Vec::new();
        while !self.take("]") {
            let block = self.label()?;
            self.expect(":")?;
            from.push((block, self.operand()?));
            self.take(",");
        }
        Ok(Phi { to, from })
    }

    pub(super) fn operand(&mut self) -> Parse<Operand> {
        if let Some(n) = self.int()? {
            return Ok(Operand::Int(n));
        }
        match self.name()? {
            word if word == "null" => Ok(Operand::Null),
            word if word == "true" => Ok(Operand::Int(1)),
            word if word == "false" => Ok(Operand::Int(0)),
            name => Ok(Operand::Var(self.var(name))),
        }
    }

    pub(super) fn field(&mut self) -> Parse<FieldId> {
        let name = self.name()?;
        let at = self.program.fields.iter().position(|f| f.name == name);
        at.map_or_else(|| self.error(format!("no field `{name}`")), |at| Ok(FieldId(at as u32)))
    }

    /// `: rows` or nothing.
    pub(super) fn kind_of_array(&mut self) -> Parse<ArrayId> {
        if !self.take(":") {
            return Ok(ArrayId(0));
        }
        let name = self.name()?;
        let at = self.program.arrays.iter().position(|a| a.name == name);
        at.map_or_else(|| self.error(format!("no array `{name}`")), |at| Ok(ArrayId(at as u32)))
    }

    pub(super) fn length_of(term: Term) -> Term {
        Term::Length(Arc::new(term))
    }
}

use crate::term::Term;
