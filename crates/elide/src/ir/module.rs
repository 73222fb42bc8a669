//! A module: the functions that can be read, and what stands around them.

use super::function::{self, Function};
use super::lex::Cursor;
use super::text::Lines;
use super::types::{self, Types};
use crate::scope::Scope;
use hashbrown::HashMap;

type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// A module of LLVM's assembly language. Only what the analyses need is understood; the text stays what it is.
pub struct Module<'a> {
    /// Its lines.
    pub lines: Lines<'a>,
    /// The functions that it defines and that could be read.
    pub functions: Vec<Function<'a>>,
    /// How many could not.
    pub unread: usize,
    /// The attributes of functions that it declares only: the text behind the parameters.
    pub declared: Map<&'a str, &'a str>,
    /// Groups of attributes, `#0`.
    pub attributes: Map<&'a str, &'a str>,
    /// The first number that no metadata has.
    pub free_metadata: usize,
    /// Pointers have no element type (from LLVM 15 on).
    pub opaque: bool,
    /// It is for the machine that the runtime is for.
    pub is_x86_64_linux: bool,
    /// What it makes goes into a program, not into a shared library.
    pub for_program: bool,
    /// How much of a program it is.
    pub scope: Scope,
}

impl<'a> Module<'a> {
    /// Reads the text. None if it is no module.
    pub fn read(text: &'a str, scope: Scope) -> Option<Module<'a>> {
        if !text.contains("target triple") {
            return None;
        }
        let mut module = Module {
            lines: Lines::of(text),
            functions: Vec::new(),
            unread: 0,
            declared: Map::default(),
            attributes: Map::default(),
            free_metadata: 0,
            opaque: true,
            is_x86_64_linux: false,
            for_program: true,
            scope,
        };
        let (mut types, mut defines) = (Types::default(), Vec::new());
        for at in 0..module.lines.count() {
            let line = module.lines.get(at)?;
            match line.as_bytes().first() {
                Some(b'%') => drop(named_type(line, &mut types)),
                Some(b'd') if line.starts_with("define") => defines.push(at),
                Some(b'd') if line.starts_with("declare") => module.declare(line),
                Some(b'a') if line.starts_with("attributes") => module.group(line),
                Some(b'!') => module.metadata(line),
                Some(b't') if line.starts_with("target triple") => {
                    module.is_x86_64_linux = line.contains("\"x86_64-") && line.contains("linux");
                }
                _ => {}
            }
        }
        module.for_program = match scope {
            // Files for programs may be linked into a library: the linker's plugin makes that right.
            Scope::File => module.for_program || text.contains("!\"PIE Level\""),
            Scope::Program => true,
            Scope::Library => false,
        };
        module.opaque = !text.contains("i8*");
        for at in defines {
            match function::read(&module.lines, at, &types) {
                Some(function) => module.functions.push(function),
                None => module.unread += 1,
            }
        }
        Some(module)
    }

    fn declare(&mut self, line: &'a str) {
        let mut cursor = Cursor::new(line);
        while !cursor.peek().starts_with('@') {
            let past = match cursor.peek() {
                "" => None,
                "(" | "[" | "{" | "<" => cursor.bracketed(),
                _ => Some(cursor.next()),
            };
            if past.is_none() {
                return;
            }
        }
        let name = cursor.next();
        if cursor.bracketed().is_some() {
            self.declared.insert(name, cursor.rest().trim_end());
        }
    }

    fn group(&mut self, line: &'a str) {
        let mut cursor = Cursor::new(line);
        cursor.next();
        let name = cursor.next();
        if cursor.eat("=") {
            self.attributes.insert(name, cursor.rest());
        }
    }

    /// `!12 = …`, or a flag that says how the code is to be linked.
    fn metadata(&mut self, line: &'a str) {
        let Some((number, rest)) = line[1..].split_once(" = ") else { return };
        if let Ok(number) = number.parse::<usize>() {
            self.free_metadata = self.free_metadata.max(number + 1);
        }
        if rest.contains("!\"PIC Level\"") {
            self.for_program = false;
        }
    }

    /// The text of a function's or a call's attributes has this one, by itself or in one of its groups.
    pub fn has_attribute(&self, text: &str, attribute: &str) -> bool {
        let has = |text: &str| text.split([' ', '{', '}', '\n']).any(|word| word == attribute);
        let groups = text.split(' ').filter(|word| word.starts_with('#'));
        has(text) || groups.filter_map(|g| self.attributes.get(g.trim_end())).any(|g| has(g))
    }
}

/// `%name = type { … }`
fn named_type<'a>(line: &'a str, types: &mut Types<'a>) -> Option<()> {
    let mut cursor = Cursor::new(line);
    let name = cursor.next();
    (cursor.eat("=") && cursor.eat("type")).then_some(())?;
    let of = types::parse(&mut cursor)?;
    types.insert(name, of);
    Some(())
}
