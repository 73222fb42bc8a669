//! The symbol table, sorted by address: which function or variable an address lies in.

use crate::image::Image;
use alloc::vec::Vec;
use object::read::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// How many symbols before the nearest one are looked at, for symbols that lie within others.
const NESTED: usize = 8;

/// A function or variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Symbol {
    /// Its first byte, in the file's addresses.
    pub start: u64,
    /// How many bytes; 0 if the table does not say.
    pub size: u64,
    /// The first byte after it, or after its section if the table does not say how many bytes it has.
    end: u64,
    /// Its name as the linker knows it, without a version.
    pub name: &'static str,
    /// Among symbols at the same address, the higher is the better name.
    rank: u8,
}

/// All functions and variables of a file, each kind sorted by address, one to an address.
#[derive(Default)]
pub(crate) struct Symbols {
    functions: Vec<Symbol>,
    variables: Vec<Symbol>,
}

impl Symbols {
    /// Reads the full table of the first image that has one; what is left in a stripped file otherwise.
    pub fn new(images: &[&Image]) -> Symbols {
        let full = images.iter().find(|image| image.file.symbols().next().is_some());
        let mut out = Symbols::default();
        match (full, images.first()) {
            (Some(image), _) => image.file.symbols().for_each(|symbol| out.add(&symbol, image)),
            (None, Some(image)) => image.file.dynamic_symbols().for_each(|symbol| out.add(&symbol, image)),
            (None, None) => {}
        }
        sort(&mut out.functions);
        sort(&mut out.variables);
        out
    }

    fn add(&mut self, symbol: &impl ObjectSymbol<'static>, image: &Image) {
        let list = match symbol.kind() {
            SymbolKind::Text => &mut self.functions,
            SymbolKind::Data => &mut self.variables,
            _ => return,
        };
        let Some(name) = symbol.name().ok().filter(|name| !name.is_empty()) else { return };
        if symbol.is_undefined() || symbol.is_common() {
            return;
        }
        let name = name.split('@').next().filter(|name| !name.is_empty()).unwrap_or(name);
        let rank = match (symbol.is_weak(), symbol.is_local()) {
            (true, _) => 1,
            (_, true) => 0,
            _ => 2,
        };
        let (start, size) = (symbol.address(), symbol.size());
        let end = match size {
            0 => section_end(symbol, image).unwrap_or(start),
            size => start.saturating_add(size),
        };
        list.push(Symbol { start, size, end, name, rank });
    }

    /// The function at that address.
    pub fn function(&self, addr: u64) -> Option<Symbol> {
        find(&self.functions, addr)
    }

    /// The variable at that address.
    pub fn variable(&self, addr: u64) -> Option<Symbol> {
        find(&self.variables, addr).filter(|symbol| symbol.size > 0)
    }
}

/// Where the section ends that a symbol lies in.
fn section_end(symbol: &impl ObjectSymbol<'static>, image: &Image) -> Option<u64> {
    let section = image.file.section_by_index(symbol.section_index()?).ok()?;
    section.address().checked_add(section.size())
}

/// By address, the best name last of those at the same address, which alone stays.
fn sort(symbols: &mut Vec<Symbol>) {
    symbols
        .sort_unstable_by(|a, b| (b.start, b.rank, b.size, a.name).cmp(&(a.start, a.rank, a.size, b.name)));
    symbols.dedup_by_key(|symbol| symbol.start);
    symbols.reverse();
}

fn find(symbols: &[Symbol], addr: u64) -> Option<Symbol> {
    let after = symbols.partition_point(|symbol| symbol.start <= addr);
    let nearest = symbols[..after].last()?;
    if nearest.size == 0 {
        // Hand-written assembly: as far as the next symbol, or the end of the section.
        return (addr < nearest.end).then_some(*nearest);
    }
    let mut near = symbols[..after].iter().rev().take(NESTED);
    near.find(|symbol| symbol.size > 0 && addr < symbol.end).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(start: u64, size: u64, name: &'static str, rank: u8) -> Symbol {
        let end = if size == 0 { 0x40 } else { start + size };
        Symbol { start, size, end, name, rank }
    }

    #[test]
    fn the_symbol_around_an_address() {
        let mut symbols = std::vec![
            symbol(0x30, 0, "assembly", 2),
            symbol(0x10, 0x10, "local", 0),
            symbol(0x10, 0x10, "strong", 2),
            symbol(0x10, 0x10, "weak", 1),
            symbol(0x18, 2, "inner", 2),
        ];
        sort(&mut symbols);
        let name = |addr| find(&symbols, addr).map(|s| s.name);
        assert_eq!(
            [0x0f, 0x10, 0x18, 0x1a, 0x1f, 0x20].map(name),
            [None, Some("strong"), Some("inner"), Some("strong"), Some("strong"), None]
        );
        assert_eq!([0x3f, 0x40].map(name), [Some("assembly"), None]);
    }
}
