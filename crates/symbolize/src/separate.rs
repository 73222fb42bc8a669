//! Debug information that lives in a file of its own: found by the build's name or by the link that `objcopy` leaves.

use crate::image::{Image, hex};
use crate::symbolizer::Loader;
use alloc::format;
use alloc::string::String;
use object::read::Object;

/// Where distributions put debug files.
const ROOT: &str = "/usr/lib/debug";

/// The debug file of an image at that path.
pub(crate) fn find(image: &Image, path: &str, loader: &dyn Loader) -> Option<Image> {
    by_build_id(image, loader).or_else(|| by_link(image, path, loader))
}

fn by_build_id(image: &Image, loader: &dyn Loader) -> Option<Image> {
    let id = image.build_id()?;
    let candidate = Image::parse(loader.open(&build_id_path(id)?)?)?;
    (candidate.build_id() == Some(id)).then_some(candidate)
}

/// `ROOT/.build-id/ab/cdef….debug`.
fn build_id_path(id: &[u8]) -> Option<String> {
    let (first, rest) = id.split_first()?;
    (!rest.is_empty()).then(|| format!("{ROOT}/.build-id/{}/{}.debug", hex(&[*first]), hex(rest)))
}

fn by_link(image: &Image, path: &str, loader: &dyn Loader) -> Option<Image> {
    let (name, crc) = image.file.gnu_debuglink().ok()??;
    let name = core::str::from_utf8(name).ok().filter(|name| !name.contains('/'))?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let places =
        [format!("{folder}/{name}"), format!("{folder}/.debug/{name}"), format!("{ROOT}{folder}/{name}")];
    places.iter().filter(|place| *place != path).find_map(|place| {
        let candidate = Image::parse(loader.open(place)?)?;
        let same = match (image.build_id(), candidate.build_id()) {
            (Some(a), Some(b)) => a == b,
            _ => crc32(candidate.bytes) == crc,
        };
        same.then_some(candidate)
    })
}

/// The file that holds what several debug files share, if this one refers to it.
pub(crate) fn shared(debug: &Image, loader: &dyn Loader) -> Option<Image> {
    let (name, id) = debug.file.gnu_debugaltlink().ok()??;
    let named = core::str::from_utf8(name).ok().and_then(|name| loader.open(name));
    let bytes = match named {
        Some(bytes) => bytes,
        None => loader.open(&build_id_path(id)?)?,
    };
    let candidate = Image::parse(bytes)?;
    (candidate.build_id() == Some(id)).then_some(candidate)
}

/// The checksum of the link: CRC-32 as in zlib.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    !bytes.iter().fold(!0, |crc, byte| TABLE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8))
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut n = 0;
    while n < table.len() {
        let mut crc = n as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[n] = crc;
        n += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn path_of_a_build() {
        assert_eq!(build_id_path(&[0xab, 0xcd, 0xef]).unwrap(), "/usr/lib/debug/.build-id/ab/cdef.debug");
        assert_eq!((build_id_path(&[]), build_id_path(&[1])), (None, None));
    }
}
