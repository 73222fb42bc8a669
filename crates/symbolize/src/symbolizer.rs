//! The modules of a process, and what is known about addresses in them.

use crate::demangle::demangle;
use crate::dwarf::{DebugInfo, Scope};
use crate::image::{Image, hex};
use crate::separate;
use crate::symbols::Symbols;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

/// Opens files: the symbolizer does not know how.
pub trait Loader {
    /// The bytes of that file, which stay as they are for good; `None` if there is no such file.
    fn open(&self, path: &str) -> Option<&'static [u8]>;
}

impl<F: Fn(&str) -> Option<&'static [u8]>> Loader for F {
    fn open(&self, path: &str) -> Option<&'static [u8]> {
        self(path)
    }
}

/// An executable or library in the process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its path.
    pub path: String,
    /// What is added to the addresses in the file to get those in the process; 0 for executables that cannot be moved.
    pub bias: u64,
    /// The first address that it occupies.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
    /// Its bytes, if the caller has them already; the loader is asked otherwise.
    pub bytes: Option<&'static [u8]>,
}

impl Module {
    fn contains(&self, addr: u64) -> bool {
        (self.start..self.end).contains(&addr)
    }
}

/// Which instruction an address means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum At {
    /// The one at that address.
    Instruction,
    /// The call before it: the address is where the call returns to.
    Return,
}

/// A function around an instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// The address that was asked for.
    pub pc: u64,
    /// The function, readable.
    pub function: Option<String>,
    /// The source file.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
    /// Path of the executable or library.
    pub module: Option<String>,
    /// The instruction that was looked up, in that file's own addresses.
    pub offset_in_module: u64,
    /// Which build of that file, in hexadecimal.
    pub build_id: Option<String>,
    /// Is its code part of the next frame's function?
    pub inlined: bool,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// Its name, readable.
    pub name: String,
    /// Its first byte in the process.
    pub start: u64,
    /// How many bytes.
    pub size: u64,
    /// Path of the executable or library.
    pub module: String,
    /// The address that was asked for, in that file's own addresses.
    pub offset_in_module: u64,
}

/// Knows the modules of a process.
pub struct Symbolizer<L> {
    loader: L,
    modules: Vec<Loaded>,
}

impl<L: Loader> Symbolizer<L> {
    /// A process without modules.
    pub const fn new(loader: L) -> Symbolizer<L> {
        Symbolizer { loader, modules: Vec::new() }
    }

    /// One more module.
    pub fn add(&mut self, module: Module) {
        self.modules.push(Loaded::new(module));
    }

    /// All modules anew, after libraries were loaded or unloaded. What is known about those that stay is kept.
    pub fn set_modules(&mut self, modules: impl IntoIterator<Item = Module>) {
        let mut old = core::mem::take(&mut self.modules);
        for module in modules {
            let known = old.iter().position(|loaded| loaded.module == module);
            self.modules.push(known.map_or_else(|| Loaded::new(module), |at| old.swap_remove(at)));
        }
    }

    /// The module at that address.
    pub fn module(&self, addr: u64) -> Option<&Module> {
        self.loaded(addr).map(|loaded| &loaded.module)
    }

    /// Which build the module at that address is, in hexadecimal.
    pub fn build_id(&self, addr: u64) -> Option<String> {
        self.loaded(addr)?.build_id(&self.loader)
    }

    /// The functions around an instruction, innermost first: those that are inlined, then the one that contains them. At least
    /// one frame, with as much in it as is known.
    pub fn frames(&self, pc: u64, at: At) -> Vec<Frame> {
        let probe = match at {
            At::Instruction => pc,
            At::Return => pc.wrapping_sub(1),
        };
        let Some(loaded) = self.loaded(probe) else {
            return alloc::vec![Frame { pc, ..Frame::default() }];
        };
        let addr = probe.wrapping_sub(loaded.module.bias);
        let mut scopes = loaded.scopes(addr, &self.loader);
        if scopes.is_empty() {
            scopes.push(Scope { function: None, file: None, line: None, column: None });
        }
        let outermost = scopes.len() - 1;
        if scopes[outermost].function.is_none() {
            let symbol = loaded.symbols(&self.loader).and_then(|symbols| symbols.function(addr));
            scopes[outermost].function = symbol.map(|symbol| symbol.name.into());
        }
        let build_id = loaded.build_id(&self.loader);
        let frame = |(nth, scope): (usize, Scope)| Frame {
            pc,
            function: scope.function.map(|name| demangle(&name).into_owned()),
            file: scope.file,
            line: scope.line,
            column: scope.column,
            module: Some(loaded.module.path.clone()),
            offset_in_module: addr,
            build_id: build_id.clone(),
            inlined: nth < outermost,
        };
        scopes.into_iter().enumerate().map(frame).collect()
    }

    /// The variable at that address, thread-local ones apart.
    pub fn global(&self, addr: u64) -> Option<Global> {
        let loaded = self.loaded(addr)?;
        let bias = loaded.module.bias;
        let offset_in_module = addr.wrapping_sub(bias);
        let symbol = loaded.symbols(&self.loader)?.variable(offset_in_module)?;
        Some(Global {
            name: demangle(symbol.name).into_owned(),
            start: symbol.start.wrapping_add(bias),
            size: symbol.size,
            module: loaded.module.path.clone(),
            offset_in_module,
        })
    }

    fn loaded(&self, addr: u64) -> Option<&Loaded> {
        self.modules.iter().find(|loaded| loaded.module.contains(addr))
    }
}

/// A module and what has been asked about it so far.
struct Loaded {
    module: Module,
    image: OnceCell<Option<Image>>,
    separate: OnceCell<Option<Image>>,
    dwarf: OnceCell<Option<DebugInfo>>,
    symbols: OnceCell<Symbols>,
}

impl Loaded {
    fn new(module: Module) -> Loaded {
        Loaded {
            module,
            image: OnceCell::new(),
            separate: OnceCell::new(),
            dwarf: OnceCell::new(),
            symbols: OnceCell::new(),
        }
    }

    fn image(&self, loader: &dyn Loader) -> Option<&Image> {
        let open = || {
            let bytes = self.module.bytes.or_else(|| loader.open(&self.module.path));
            bytes.and_then(Image::parse)
        };
        self.image.get_or_init(open).as_ref()
    }

    /// The file with the debug information, if that is not the module itself.
    fn separate(&self, loader: &dyn Loader) -> Option<&Image> {
        let find = || {
            let image = self.image(loader).filter(|image| !image.has_dwarf())?;
            separate::find(image, &self.module.path, loader)
        };
        self.separate.get_or_init(find).as_ref()
    }

    fn scopes(&self, addr: u64, loader: &dyn Loader) -> Vec<Scope> {
        let parse = || {
            let image = self.separate(loader).or_else(|| self.image(loader))?;
            DebugInfo::new(image, loader)
        };
        let dwarf = self.dwarf.get_or_init(parse);
        dwarf.as_ref().map(|dwarf| dwarf.scopes(addr, loader)).unwrap_or_default()
    }

    fn symbols(&self, loader: &dyn Loader) -> Option<&Symbols> {
        let image = self.image(loader)?;
        Some(self.symbols.get_or_init(|| match self.separate(loader) {
            Some(separate) => Symbols::new(&[image, separate]),
            None => Symbols::new(&[image]),
        }))
    }

    fn build_id(&self, loader: &dyn Loader) -> Option<String> {
        self.image(loader)?.build_id().map(hex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn assert_send<T: Send>() {}
    // The runtime keeps one behind a lock that all threads share.
    const _: () = assert_send::<Symbolizer<fn(&str) -> Option<&'static [u8]>>>();

    fn nothing(_: &str) -> Option<&'static [u8]> {
        None
    }

    fn module(path: &str, start: u64) -> Module {
        Module { path: path.into(), bias: start, start, end: start + 0x1000, bytes: None }
    }

    #[test]
    fn without_files_there_is_still_module_and_offset() {
        let mut symbolizer = Symbolizer::new(nothing);
        symbolizer.set_modules([module("/a", 0x1000), module("/b", 0x3000)]);
        let frames = symbolizer.frames(0x4000, At::Return);
        assert_eq!(
            frames,
            [Frame { pc: 0x4000, module: Some("/b".into()), offset_in_module: 0xfff, ..Frame::default() }]
        );
        assert_eq!(symbolizer.frames(0x4000, At::Instruction), [Frame { pc: 0x4000, ..Frame::default() }]);
        assert_eq!(symbolizer.frames(0, At::Return), [Frame::default()]);
        assert_eq!((symbolizer.global(0x1800), symbolizer.build_id(0x1800)), (None, None));
        symbolizer.set_modules([module("/b", 0x3000)]);
        assert_eq!(symbolizer.module(0x1000), None);
        assert_eq!(symbolizer.module(0x3fff).unwrap().path, "/b");
    }
}
