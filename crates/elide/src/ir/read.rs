//! Reads the text of an instruction.

use super::inst::{BlockId, Index, Kind, Operand, Order, Value};
use super::lex::Cursor;
use super::types::{self, Type, Types};

/// Where names become numbers.
pub trait Names<'a> {
    /// The value of that name (with its sigil).
    fn value(&mut self, name: &'a str) -> Value;
    /// The block of that label (without the sigil).
    fn block(&mut self, label: &'a str) -> BlockId;
    /// The value has been seen to be of that type.
    fn typed(&mut self, value: Value, text: &'a str);
}

/// Reads one instruction's text.
pub struct Reader<'a, 'b, N> {
    /// The structures of the module.
    pub types: &'b Types<'a>,
    /// The function's names.
    pub names: &'b mut N,
    /// How deep constant expressions may still nest.
    pub depth: u32,
    /// The type that was read last, as text.
    pub seen: &'a str,
}

impl<'a, N: Names<'a>> Reader<'a, '_, N> {
    /// What the instruction does, what it defines, and where it may go. None if it is not LLVM's language.
    pub fn read(&mut self, text: &'a str) -> Option<(Option<Value>, Kind<'a>, Vec<BlockId>)> {
        let mut cursor = Cursor::new(text);
        if cursor.peek().starts_with('#') {
            return Some((None, Kind::Other, Vec::new())); // #dbg_value(...)
        }
        let mut result = None;
        if cursor.peek().starts_with('%') {
            result = Some(self.names.value(cursor.next()));
            cursor.eat("=").then_some(())?;
        }
        let mut op = cursor.next();
        while matches!(op, "tail" | "musttail" | "notail") {
            op = cursor.next();
        }
        let targets = match op {
            "br" | "switch" | "invoke" | "callbr" | "indirectbr" | "cleanupret" | "catchret"
            | "catchswitch" => self.labels(text),
            _ => Vec::new(),
        };
        let kind = match op {
            "call" | "invoke" | "callbr" => self.call(cursor)?,
            "load" => {
                let atomic = order(cursor, true);
                while matches!(cursor.peek(), "atomic" | "volatile") {
                    cursor.next();
                }
                if self.type_text(&mut cursor).is_some() {
                    self.defines(result, Some(Kind::Load { atomic }));
                }
                Kind::Load { atomic }
            }
            "store" => Kind::Store { atomic: order(cursor, true) },
            "atomicrmw" | "cmpxchg" => Kind::Rmw(order(cursor, false)?),
            "fence" => Kind::Fence(order(cursor, false)?),
            "getelementptr" => self.gep(&mut cursor).unwrap_or(Kind::Other),
            "bitcast" | "ptrtoint" | "inttoptr" | "zext" | "sext" | "trunc" => {
                let kind = self.cast(op, cursor);
                self.defines(result, kind)
            }
            "add" | "sub" | "mul" | "shl" | "or" | "and" | "lshr" | "ashr" | "udiv" | "sdiv" | "urem"
            | "srem" | "xor" => {
                let kind = self.binary(op, cursor);
                self.defines(result, kind)
            }
            "icmp" => self.compare(cursor).unwrap_or(Kind::Other),
            "phi" => {
                // Even one that means nothing here: blocks that are cut in two are named in it.
                let kind = self.phi(cursor).unwrap_or(Kind::Other);
                return Some((result, kind, self.sources(cursor)?));
            }
            "alloca" => Kind::Alloca,
            "br" => self.branch(cursor, &targets),
            "ret" => Kind::Return,
            "switch" | "indirectbr" | "unreachable" | "resume" => Kind::Jump,
            "cleanupret" | "catchret" | "catchswitch" => return None,
            "landingpad" | "select" | "freeze" | "extractvalue" | "insertvalue" | "extractelement"
            | "insertelement" | "shufflevector" | "fadd" | "fsub" | "fmul" | "fdiv" | "frem" | "fneg"
            | "fcmp" | "fptrunc" | "fpext" | "fptoui" | "fptosi" | "uitofp" | "sitofp" | "addrspacecast" => {
                Kind::Other
            }
            "" => return None,
            _ => Kind::Unknown,
        };
        Some((result, kind, targets))
    }

    fn labels(&mut self, text: &'a str) -> Vec<BlockId> {
        let (mut found, mut cursor) = (Vec::new(), Cursor::new(text));
        loop {
            match cursor.next() {
                "" => return found,
                "label" => {
                    let block = self.names.block(cursor.next().strip_prefix('%').unwrap_or(""));
                    if !found.contains(&block) {
                        found.push(block);
                    }
                }
                _ => {}
            }
        }
    }

    fn gep(&mut self, cursor: &mut Cursor<'a>) -> Option<Kind<'a>> {
        while matches!(cursor.peek(), "inbounds" | "nuw" | "nusw") {
            cursor.next();
        }
        if cursor.peek() == "inrange" {
            cursor.next();
            cursor.bracketed()?;
        }
        let mut at = types::parse(cursor)?;
        cursor.eat(",").then_some(())?;
        let (of, base) = self.typed_operand(cursor)?;
        (of == Type::Ptr).then_some(())?;
        let (mut offset, mut indices) = (0i64, Vec::new());
        let mut first = true;
        while cursor.eat(",") {
            if cursor.peek().starts_with('!') {
                break;
            }
            let (of, by) = self.typed_operand(cursor)?;
            let Type::Int(bits) = of else { return None };
            let scale = if first {
                at.stride(self.types)?
            } else if let Some(element) = at.element() {
                let element = element.clone();
                let stride = element.stride(self.types)?;
                at = element;
                stride
            } else {
                let Operand::Int(number) = by else { return None };
                let (distance, field) = at.field(self.types, usize::try_from(number).ok()?)?;
                offset = offset.wrapping_add(distance as i64);
                at = field;
                continue;
            };
            first = false;
            match by {
                Operand::Int(number) => offset = offset.wrapping_add(number.wrapping_mul(scale as i64)),
                by => indices.push(Index { by, bits, scale: scale as i64 }),
            }
        }
        Some(Kind::Gep { base, offset, indices })
    }

    fn cast(&mut self, op: &'a str, mut cursor: Cursor<'a>) -> Option<Kind<'a>> {
        while matches!(cursor.peek(), "nneg" | "nuw" | "nsw") {
            cursor.next();
        }
        let (from, of) = self.typed_operand(&mut cursor)?;
        cursor.eat("to").then_some(())?;
        let to = self.type_text(&mut cursor)?;
        match (from, to) {
            (Type::Ptr, Type::Ptr) => Some(Kind::Same(of)),
            (Type::Ptr, Type::Int(64)) | (Type::Int(64), Type::Ptr) => Some(Kind::Same(of)),
            (Type::Int(from), Type::Int(to)) if matches!(op, "zext" | "sext" | "trunc") => {
                Some(Kind::Cast { op, from, to, of })
            }
            _ => None,
        }
    }

    fn binary(&mut self, op: &'a str, mut cursor: Cursor<'a>) -> Option<Kind<'a>> {
        let (mut nuw, mut nsw) = (false, false);
        // `or disjoint` adds without carrying: no wrapping of either kind.
        let mut disjoint = false;
        loop {
            match cursor.peek() {
                "nuw" => nuw = true,
                "nsw" => nsw = true,
                "disjoint" => disjoint = true,
                "exact" => {}
                _ => break,
            }
            cursor.next();
        }
        let (of, left) = self.typed_operand(&mut cursor)?;
        let Type::Int(bits) = of else { return None };
        cursor.eat(",").then_some(())?;
        let right = self.operand(&mut cursor)?;
        self.note(&right);
        let op = if disjoint && op == "or" { "add" } else { op };
        Some(Kind::Binary { op, bits, nuw: nuw || disjoint, nsw: nsw || disjoint, left, right })
    }

    fn compare(&mut self, mut cursor: Cursor<'a>) -> Option<Kind<'a>> {
        cursor.eat("samesign");
        let predicate = cursor.next();
        let (of, left) = self.typed_operand(&mut cursor)?;
        let bits = match of {
            Type::Int(bits) => bits,
            Type::Ptr => 64,
            _ => return None,
        };
        cursor.eat(",").then_some(())?;
        let right = self.operand(&mut cursor)?;
        self.note(&right);
        Some(Kind::Compare { predicate, bits, left, right })
    }

    fn phi(&mut self, mut cursor: Cursor<'a>) -> Option<Kind<'a>> {
        let of = self.type_text(&mut cursor)?;
        let text = self.seen;
        let bits = match of {
            Type::Int(bits) => bits,
            Type::Ptr => 64,
            _ => return None,
        };
        let mut from = Vec::new();
        loop {
            cursor.eat("[").then_some(())?;
            let value = self.operand(&mut cursor)?;
            self.seen = text;
            self.note(&value);
            cursor.eat(",").then_some(())?;
            from.push((value, self.names.block(cursor.next().strip_prefix('%')?)));
            cursor.eat("]").then_some(())?;
            if !cursor.eat(",") || cursor.peek().starts_with('!') {
                return Some(Kind::Phi { bits, from });
            }
        }
    }

    /// The blocks that a φ comes from.
    fn sources(&mut self, mut cursor: Cursor<'a>) -> Option<Vec<BlockId>> {
        types::parse(&mut cursor)?;
        let mut found = Vec::new();
        while cursor.peek() == "[" {
            let pair = cursor.bracketed()?;
            let (_, label) = pair.rsplit_once(", %")?;
            found.push(self.names.block(label.trim_end()));
            cursor.eat(",");
        }
        Some(found)
    }

    fn branch(&mut self, mut cursor: Cursor<'a>, targets: &[BlockId]) -> Kind<'a> {
        if cursor.eat("i1")
            && let (Some(on), [yes, no]) = (self.operand(&mut cursor), targets)
        {
            return Kind::Branch { on, yes: *yes, no: *no };
        }
        Kind::Jump
    }

    /// A type and what is of it.
    pub fn typed_operand(&mut self, cursor: &mut Cursor<'a>) -> Option<(Type<'a>, Operand<'a>)> {
        let of = self.type_text(cursor)?;
        let text = self.seen;
        let operand = self.operand(cursor)?;
        self.seen = text;
        self.note(&operand);
        Some((of, operand))
    }

    /// A type, of which the text is remembered.
    pub(super) fn type_text(&mut self, cursor: &mut Cursor<'a>) -> Option<Type<'a>> {
        let text = cursor.rest();
        let of = types::parse(cursor)?;
        self.seen = text[..text.len() - cursor.rest().len()].trim_end();
        Some(of)
    }

    /// What is defined is of the type that was read last, if the instruction was understood.
    fn defines(&mut self, result: Option<Value>, kind: Option<Kind<'a>>) -> Kind<'a> {
        if let (Some(value), Some(_)) = (result, &kind) {
            self.note(&Operand::Local(value));
        }
        kind.unwrap_or(Kind::Other)
    }

    /// The operand is of the type that was read last.
    pub(super) fn note(&mut self, operand: &Operand<'a>) {
        if let Operand::Local(value) = operand {
            self.names.typed(*value, self.seen);
        }
    }

    /// An operand, behind its type and attributes.
    pub fn operand(&mut self, cursor: &mut Cursor<'a>) -> Option<Operand<'a>> {
        let text = cursor.rest();
        let token = cursor.next();
        Some(match token {
            "" => return None,
            "null" | "false" => Operand::Int(0),
            "true" => Operand::Int(1),
            "getelementptr" | "bitcast" | "inttoptr" | "ptrtoint" | "addrspacecast" => {
                while matches!(cursor.peek(), "inbounds" | "nuw" | "nusw") {
                    cursor.next();
                }
                if cursor.eat("inrange") {
                    cursor.bracketed()?;
                }
                let inner = cursor.bracketed()?;
                self.constant(token, inner)
                    .unwrap_or(Operand::Other(&text[..text.len() - cursor.rest().len()]))
            }
            _ if token.starts_with('%') => Operand::Local(self.names.value(token)),
            _ if token.starts_with('@') => Operand::Global(token, 0),
            "<" | "{" | "[" => {
                *cursor = Cursor::new(text);
                cursor.bracketed()?;
                Operand::Other(text)
            }
            _ => match token.parse() {
                Ok(number) => Operand::Int(number),
                Err(_) => {
                    if cursor.peek() == "(" {
                        cursor.bracketed()?;
                    }
                    Operand::Other(token)
                }
            },
        })
    }

    /// A constant expression: a global and a distance, if it is that.
    fn constant(&mut self, op: &'a str, inner: &'a str) -> Option<Operand<'a>> {
        let mut cursor = Cursor::new(inner);
        let depth = self.depth;
        self.depth = depth.checked_sub(1)?;
        let found = match op {
            "getelementptr" => self.gep(&mut cursor),
            _ => self.typed_operand(&mut cursor).map(|(_, base)| Kind::Gep {
                base,
                offset: 0,
                indices: Vec::new(),
            }),
        };
        self.depth = depth;
        match found? {
            Kind::Gep { base: Operand::Global(name, at), offset, indices } if indices.is_empty() => {
                Some(Operand::Global(name, at.wrapping_add(offset)))
            }
            _ => None,
        }
    }
}

/// The strongest order that the words name. `only_atomic`: none, unless it says that it is atomic.
fn order(mut cursor: Cursor<'_>, only_atomic: bool) -> Option<Order> {
    if only_atomic && cursor.peek() != "atomic" {
        return None;
    }
    let mut found = Order::Relaxed;
    loop {
        match cursor.next() {
            "" => return Some(found),
            "acquire" if found == Order::Relaxed => found = Order::Acquire,
            "release" | "acq_rel" | "seq_cst" => found = Order::Release,
            _ => {}
        }
    }
}
