//! A function's body as blocks of instructions.

use super::inst::{BlockId, Inst, Value};
use super::lex::Cursor;
use super::read::{Names, Reader};
use super::text::Lines;
use super::types::{self, Types};
use hashbrown::HashMap;

/// A block.
#[derive(Clone, Debug, Default)]
pub struct Block<'a> {
    /// Its label, without the sigil. The entry may have none in the text, but instructions know it by its number.
    pub label: String,
    /// The line of its label, or the function's `define`.
    pub line: usize,
    /// Its instructions; the last one ends it.
    pub insts: Vec<Inst<'a>>,
}

impl Block<'_> {
    /// The blocks that may follow.
    pub fn targets(&self) -> &[BlockId] {
        self.insts.last().filter(|last| !last.is_phi).map_or(&[], |last| &last.targets)
    }
}

/// A function that the module defines.
#[derive(Clone, Debug, Default)]
pub struct Function<'a> {
    /// Its name, with the sigil.
    pub name: &'a str,
    /// The line of its `define`.
    pub line: usize,
    /// The line of its closing brace.
    pub end: usize,
    /// What stands before its name: linkage, attributes of what it returns.
    pub before: &'a str,
    /// What stands behind its parameters: attributes.
    pub behind: &'a str,
    /// Its blocks, in the order of the text.
    pub blocks: Vec<Block<'a>>,
    /// The values' names, with the sigil.
    pub names: Vec<&'a str>,
    /// The types that values were seen to be of, as text.
    pub types: Vec<Option<&'a str>>,
    /// Its parameters.
    pub params: Vec<Value>,
}

impl<'a> Function<'a> {
    /// The block with that number.
    pub fn block(&self, id: BlockId) -> &Block<'a> {
        &self.blocks[id.0 as usize]
    }

    /// All blocks.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// Is it one with that attribute, said in the text or by a group?
    pub fn is(&self, attribute: &str) -> bool {
        self.before.split_whitespace().chain(self.behind.split_whitespace()).any(|word| word == attribute)
    }
}

/// The names of a function while it is read.
#[derive(Default)]
struct Scope<'a> {
    values: HashMap<&'a str, Value, foldhash::fast::FixedState>,
    blocks: HashMap<&'a str, BlockId, foldhash::fast::FixedState>,
    names: Vec<&'a str>,
    types: Vec<Option<&'a str>>,
    labels: Vec<&'a str>,
}

impl<'a> Names<'a> for Scope<'a> {
    fn value(&mut self, name: &'a str) -> Value {
        let Scope { values, names, types, .. } = self;
        *values.entry(name).or_insert_with(|| {
            names.push(name);
            types.push(None);
            Value(names.len() as u32 - 1)
        })
    }

    fn block(&mut self, label: &'a str) -> BlockId {
        let labels = &mut self.labels;
        *self.blocks.entry(label).or_insert_with(|| {
            labels.push(label);
            BlockId(labels.len() as u32 - 1)
        })
    }

    fn typed(&mut self, value: Value, text: &'a str) {
        self.types[value.0 as usize] = Some(text);
    }
}

/// How deep constant expressions may nest.
const CONSTANTS: u32 = 32;

/// A block while it is read: its label in the text, if it has one there.
struct Draft<'a> {
    label: Option<&'a str>,
    line: usize,
    insts: Vec<Inst<'a>>,
}

/// The function whose `define` is on that line. None if there is something in it that this cannot read.
pub fn read<'a>(lines: &Lines<'a>, at: usize, types: &Types<'a>) -> Option<Function<'a>> {
    let mut scope = Scope::default();
    let mut function = head(lines.get(at)?, &mut scope)?;
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    let mut line = at + 1;
    loop {
        let here = lines.get(line)?;
        let trimmed = here.trim();
        if trimmed == "}" {
            break;
        }
        if trimmed.is_empty() || trimmed.starts_with(';') {
            line += 1;
        } else if let Some(label) = label(here) {
            drafts.push(Draft { label: Some(label), line, insts: Vec::new() });
            line += 1;
        } else {
            if drafts.is_empty() {
                drafts.push(Draft { label: None, line: at, insts: Vec::new() });
            }
            let count = extent(lines, line)?;
            let text = lines.span(line, count)?;
            let (result, kind, targets) =
                Reader { types, names: &mut scope, depth: CONSTANTS, seen: "" }.read(text)?;
            let is_phi = text.contains(" = phi ") && Cursor::new(text).is_phi();
            drafts.last_mut()?.insts.push(Inst { line, result, kind, targets, is_phi, text });
            line += count;
        }
    }
    (function.line, function.end) = (at, line);
    finish(function, scope, drafts)
}

/// Blocks in the order of the text, and numbered so.
fn finish<'a>(mut function: Function<'a>, scope: Scope<'a>, drafts: Vec<Draft<'a>>) -> Option<Function<'a>> {
    // Without a label the entry has the number that follows those of the parameters.
    let numbered =
        |name: &&&str| name.strip_prefix('%').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let names = function.params.iter().map(|p| &scope.names[p.0 as usize]);
    let entry = names.filter(numbered).count().to_string();
    let mut place = vec![None; scope.labels.len()];
    for (at, draft) in drafts.iter().enumerate() {
        if let Some(id) = scope.blocks.get(draft.label.unwrap_or(&entry))
            && place[id.0 as usize].replace(BlockId(at as u32)).is_some()
        {
            return None; // Twice the same label.
        }
    }
    // A label that nobody defines: not a function.
    let place: Vec<BlockId> = place.into_iter().collect::<Option<_>>()?;
    for Draft { label, line, mut insts } in drafts {
        let (last, before) = insts.split_last()?;
        if !last.ends_block() || before.iter().any(Inst::ends_block) {
            return None;
        }
        insts.iter_mut().for_each(|inst| inst.renumber(&place));
        function.blocks.push(Block { label: label.unwrap_or(&entry).to_owned(), line, insts });
    }
    (function.names, function.types) = (scope.names, scope.types);
    (!function.blocks.is_empty()).then_some(function)
}

/// `define … @name(…) … {`
fn head<'a>(line: &'a str, scope: &mut Scope<'a>) -> Option<Function<'a>> {
    let mut cursor = Cursor::new(line);
    cursor.eat("define").then_some(())?;
    let start = cursor.rest();
    while !cursor.peek().starts_with('@') {
        match cursor.peek() {
            "" => return None,
            "(" | "[" | "{" | "<" => drop(cursor.bracketed()?),
            _ => drop(cursor.next()),
        }
    }
    let before = &start[..start.len() - cursor.rest().len()];
    let name = cursor.next();
    let params = params(cursor.bracketed()?, scope)?;
    let behind = cursor.rest().trim_end().strip_suffix('{')?;
    Some(Function { name, before, behind, params, ..Function::default() })
}

/// The parameters' names and types.
fn params<'a>(text: &'a str, scope: &mut Scope<'a>) -> Option<Vec<Value>> {
    let (mut found, mut cursor) = (Vec::new(), Cursor::new(text));
    while !matches!(cursor.peek(), "" | "...") {
        let text = cursor.rest();
        types::parse(&mut cursor)?;
        let text = text[..text.len() - cursor.rest().len()].trim_end();
        while !cursor.peek().starts_with('%') {
            match cursor.peek() {
                "" | "," => return None,
                "(" => drop(cursor.bracketed()?),
                _ => drop(cursor.next()),
            }
        }
        let value = scope.value(cursor.next());
        scope.typed(value, text);
        found.push(value);
        if !cursor.eat(",") {
            break;
        }
    }
    Some(found)
}

/// The label of a block that begins on this line: at the very left, and with a colon.
fn label(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    if let Some(quoted) = line.strip_prefix('"') {
        let end = quoted.find('"')? + 2;
        return line[end..].starts_with(':').then(|| &line[..end]);
    }
    let (label, _) = line.split_once(':')?;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'-');
    label.bytes().all(is_name).then_some(label)
}

/// How many lines the instruction takes that begins on this one: cases of a `switch`, the second half of an `invoke`, clauses of a `landingpad`.
fn extent(lines: &Lines<'_>, line: usize) -> Option<usize> {
    let first = lines.get(line)?;
    if first.trim_end().ends_with('[') && first.contains(" switch ") {
        let end = (line + 1..).find(|at| lines.get(*at).is_none_or(|l| l.trim_start().starts_with(']')))?;
        return lines.get(end).map(|_| end - line + 1);
    }
    // What continues an instruction is indented further than any instruction begins, but for debug records.
    let continues = |l: &str| l.starts_with("      ") && !l.trim().is_empty();
    Some(1 + (line + 1..).take_while(|at| lines.get(*at).is_some_and(continues)).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Kind;

    #[test]
    fn labels() {
        assert_eq!(label("12:    ; preds = %3"), Some("12"));
        assert_eq!(label("for.body:"), Some("for.body"));
        assert_eq!(label("\"a:b\":"), Some("\"a:b\""));
        assert_eq!(label("  %1 = add i32 1, 2"), None);
        assert_eq!(label("}"), None);
    }

    #[test]
    fn a_function_is_read() {
        let text = "\
define dso_local i32 @f(ptr noundef %0, i32 %1) #0 {
  switch i32 %1, label %3 [
    i32 1, label %4
    i32 2, label %4
  ]

3:                                                ; preds = %2
  %x = invoke i32 @g(ptr %0)
          to label %4 unwind label %6

4:
  %5 = phi i32 [ 0, %2 ], [ 0, %2 ], [ %x, %3 ]
  ret i32 %5

6:
  %7 = landingpad { ptr, i32 }
          catch ptr null
  unreachable
}
";
        let function = read(&Lines::of(text), 0, &Types::default()).expect("it is one");
        assert_eq!(function.blocks.len(), 4);
        let targets: Vec<_> = function.ids().map(|b| function.block(b).targets().to_vec()).collect();
        assert_eq!(targets, [vec![BlockId(1), BlockId(2)], vec![BlockId(2), BlockId(3)], vec![], vec![]]);
        assert_eq!(function.blocks[0].label, "2");
        assert_eq!(function.end, 18);
        assert!(
            matches!(&function.blocks[2].insts[0].kind, Kind::Phi { from, .. } if from[0].1 == BlockId(0))
        );
    }
}
