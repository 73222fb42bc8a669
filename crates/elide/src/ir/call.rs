//! Reads calls and what they are called with.

use super::inst::{Kind, Operand};
use super::lex::Cursor;
use super::read::{Names, Reader};

/// A call of what is not known.
const INDIRECT: Kind<'static> = Kind::Call { callee: None, args: "", attributes: "", arguments: Vec::new() };

impl<'a, N: Names<'a>> Reader<'a, '_, N> {
    /// Behind `call`: fast-math flags, convention and attributes, the type, the callee, the arguments, more attributes.
    pub(super) fn call(&mut self, mut cursor: Cursor<'a>) -> Option<Kind<'a>> {
        loop {
            let token = cursor.peek();
            if token.starts_with('@') {
                let callee = cursor.next();
                let args = cursor.bracketed()?;
                let arguments = if callee.starts_with("@llvm.") { Vec::new() } else { self.arguments(args) };
                return Some(Kind::Call { callee: Some(callee), args, attributes: cursor.rest(), arguments });
            }
            match token {
                "" => return None,
                // Assembly, or a constant expression around a function.
                "asm" | "bitcast" | "inttoptr" => {
                    return Some(INDIRECT);
                }
                "(" | "[" | "{" | "<" => {
                    cursor.bracketed()?;
                }
                _ if token.starts_with('%') => {
                    cursor.next();
                    // A type's name may stand here; a callee is followed by its arguments.
                    if cursor.peek() == "(" {
                        return Some(INDIRECT);
                    }
                }
                _ => drop(cursor.next()),
            }
        }
    }

    /// What a function is called with; those behind one that cannot be read are left out.
    fn arguments(&mut self, args: &'a str) -> Vec<Operand<'a>> {
        let (mut found, mut cursor) = (Vec::new(), Cursor::new(args));
        while let Some(argument) = self.argument(&mut cursor) {
            found.push(argument);
            if !cursor.eat(",") {
                break;
            }
        }
        found
    }

    /// An argument, behind its type and attributes. What is copied for the callee is not what the callee gets.
    fn argument(&mut self, cursor: &mut Cursor<'a>) -> Option<Operand<'a>> {
        self.type_text(cursor)?;
        let (text, mut is_copied) = (self.seen, false);
        loop {
            match cursor.peek() {
                "noundef" | "nonnull" | "signext" | "zeroext" | "inreg" | "noalias" | "nocapture"
                | "nofree" | "returned" | "readonly" | "readnone" | "writeonly" | "immarg" | "writable" => {
                    cursor.next();
                }
                "align" => {
                    cursor.next();
                    cursor.next();
                }
                attribute @ ("dereferenceable"
                | "dereferenceable_or_null"
                | "sret"
                | "range"
                | "byval"
                | "byref"
                | "inalloca"
                | "preallocated"
                | "captures"
                | "initializes"
                | "nofpclass") => {
                    is_copied |= matches!(attribute, "byval" | "inalloca" | "preallocated");
                    cursor.next();
                    cursor.bracketed()?;
                }
                _ => break,
            }
        }
        let operand = self.operand(cursor)?;
        self.seen = text;
        self.note(&operand);
        Some(if is_copied { Operand::Other("") } else { operand })
    }
}
