//! Where in the source a recorded event took place.

use super::raw::Raw;
use deadheat_symbolize::{At, Frame, Module, Symbolizer};
use deadheat_trace::{Loc, Namespace, Symbols};
use std::collections::HashMap;
use std::path::Path;

type Loader = fn(&str) -> Option<&'static [u8]>;

/// Looks sites up, each once.
pub struct Places<'a> {
    symbolizer: Symbolizer<Loader>,
    sites: &'a HashMap<u32, u64>,
    known: HashMap<u32, Loc>,
    /// The folder that names of files are shortened by.
    here: Option<String>,
}

impl<'a> Places<'a> {
    /// The places of that record.
    pub fn new(raw: &'a Raw) -> Places<'a> {
        let mut symbolizer = Symbolizer::new(load as Loader);
        for module in &raw.modules {
            symbolizer.add(Module {
                path: module.path.clone(),
                bias: module.bias,
                start: module.start,
                end: module.end,
                bytes: None,
            });
        }
        let here = std::env::current_dir().ok().and_then(|p| Some(format!("{}/", p.to_str()?)));
        Places { symbolizer, sites: &raw.sites, known: HashMap::new(), here }
    }

    /// The place of that site.
    pub fn loc(&mut self, site: u32, symbols: &mut Symbols) -> Loc {
        if let Some(loc) = self.known.get(&site) {
            return *loc;
        }
        let pc = self.sites.get(&site).copied().filter(|pc| *pc != 0);
        let loc = pc.map_or(Loc::NONE, |pc| Loc::named(symbols.intern(Namespace::Loc, &self.name(pc))));
        self.known.insert(site, loc);
        loc
    }

    fn name(&self, pc: u64) -> String {
        let frames = self.symbolizer.frames(pc, At::Return);
        let with_line = frames.iter().find(|frame| frame.file.is_some() && frame.line.is_some());
        let name = with_line.and_then(|frame| self.line(frame));
        name.or_else(|| frames.iter().find_map(function)).unwrap_or_else(|| format!("{pc:#x}"))
    }

    /// `bank.c:16`.
    fn line(&self, frame: &Frame) -> Option<String> {
        let (file, line) = (frame.file.as_deref()?, frame.line?);
        let short = self.here.as_deref().and_then(|here| file.strip_prefix(here)).unwrap_or(file);
        Some(plain(&format!("{short}:{line}")))
    }

    /// The variable at that address, by its name.
    pub fn variable(&self, address: u64) -> Option<String> {
        let global = self.symbolizer.global(address)?;
        let offset = address - global.start;
        Some(if offset == 0 { global.name } else { format!("{}+{offset}", global.name) })
    }
}

/// `libz.so.1+0x1234`, or the function's name.
fn function(frame: &Frame) -> Option<String> {
    let module = Path::new(frame.module.as_deref()?).file_name()?.to_string_lossy();
    let place = format!("{module}+{:#x}", frame.offset_in_module);
    Some(plain(&frame.function.as_ref().map_or(place.clone(), |name| format!("{name}:{place}"))))
}

/// Stays for good: there are few such files, and this program ends soon.
fn load(path: &str) -> Option<&'static [u8]> {
    std::fs::read(path).ok().map(|bytes| &*bytes.leak())
}

/// A name that every format of traces can write.
pub fn plain(name: &str) -> String {
    let fits = |c: char| if c.is_control() || c.is_whitespace() || "|(),".contains(c) { '_' } else { c };
    name.chars().map(fits).collect()
}
