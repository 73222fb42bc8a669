//! DWARF: the functions, inlined or not, around an instruction, with files and lines.

use crate::image::Image;
use crate::separate;
use crate::symbolizer::Loader;
use addr2line::{Context, LookupContinuation, LookupResult, SplitDwarfLoad};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use gimli::{Dwarf, EndianSlice, RunTimeEndian};

type Reader = EndianSlice<'static, RunTimeEndian>;

/// The debug information of one file.
pub(crate) struct DebugInfo(Context<Reader>);

/// One function around an instruction.
pub(crate) struct Scope {
    /// Its name, as the linker knows it if the compiler says.
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl DebugInfo {
    pub fn new(image: &Image, loader: &dyn Loader) -> Option<DebugInfo> {
        let mut dwarf = load(image, |id| Some(id.name()));
        if let Some(shared) = separate::shared(image, loader) {
            dwarf.set_sup(load(&shared, |id| Some(id.name())));
        }
        Context::from_dwarf(dwarf).ok().map(DebugInfo)
    }

    /// The functions around that instruction, innermost first; none if nothing is known.
    pub fn scopes(&self, addr: u64, loader: &dyn Loader) -> Vec<Scope> {
        let mut out = Vec::new();
        let mut lookup = self.0.find_frames(addr);
        let frames = loop {
            match lookup {
                LookupResult::Output(frames) => break frames,
                LookupResult::Load { load, continuation } => {
                    lookup = continuation.resume(split(&load, loader));
                }
            }
        };
        let Ok(mut frames) = frames else { return out };
        while let Ok(Some(frame)) = frames.next() {
            let location = frame.location.as_ref();
            out.push(Scope {
                function: frame.function.map(|function| function.name.to_string_lossy().into_owned()),
                file: location.and_then(|at| at.file).map(ToString::to_string),
                line: location.and_then(|at| at.line).filter(|line| *line > 0),
                column: location.and_then(|at| at.column).filter(|column| *column > 0),
            });
        }
        out
    }
}

/// All sections of a file; those that are missing are empty.
fn load(image: &Image, name: impl Fn(gimli::SectionId) -> Option<&'static str>) -> Dwarf<Reader> {
    let section = |id| -> Result<Reader, core::convert::Infallible> {
        let data = name(id).map_or(&[][..], |name| image.section(name));
        Ok(EndianSlice::new(data, image.endian()))
    };
    match Dwarf::load(section) {
        Ok(dwarf) => dwarf,
        Err(never) => match never {},
    }
}

/// The part of a unit that `-gsplit-dwarf` puts next to the object file.
fn split(load_from: &SplitDwarfLoad<Reader>, loader: &dyn Loader) -> Option<Arc<Dwarf<Reader>>> {
    let path = load_from.path?.to_string_lossy();
    let folder = load_from.comp_dir.map(|folder| folder.to_string_lossy());
    let path = match folder {
        Some(folder) if !path.starts_with('/') => format!("{folder}/{path}"),
        _ => path.into_owned(),
    };
    let image = Image::parse(loader.open(&path)?)?;
    let mut dwarf = load(&image, |id| id.dwo_name());
    let header = dwarf.units().next().ok()??;
    let unit = dwarf.unit(header).ok()?;
    if unit.dwo_id != Some(load_from.dwo_id) {
        return None;
    }
    dwarf.make_dwo(&load_from.parent);
    Some(Arc::new(dwarf))
}
