//! One ELF file: its sections, unpacked if they are compressed, and which build it is.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use object::read::{CompressionFormat, File, Object, ObjectSection};

/// A DEFLATE stream is at most so many times smaller than what comes out; a file that claims more is damaged.
const MAX_RATIO: u64 = 1032;

/// One ELF file.
pub(crate) struct Image {
    pub bytes: &'static [u8],
    pub file: File<'static>,
}

impl Image {
    pub fn parse(bytes: &'static [u8]) -> Option<Image> {
        let file = File::parse(bytes).ok()?;
        Some(Image { bytes, file })
    }

    /// Does it have debug information of its own?
    pub fn has_dwarf(&self) -> bool {
        self.file.section_by_name(".debug_info").is_some_and(|section| section.size() > 0)
    }

    /// The bytes of that section; none if it is missing or damaged.
    ///
    /// Sections that are compressed are unpacked into memory that is never given back: a debug file is in use for as long as the
    /// process reports.
    pub fn section(&self, name: &str) -> &'static [u8] {
        self.try_section(name).unwrap_or(&[])
    }

    fn try_section(&self, name: &str) -> Option<&'static [u8]> {
        let data = self.file.section_by_name(name)?.compressed_data().ok()?;
        match data.format {
            CompressionFormat::None => Some(data.data),
            CompressionFormat::Zlib => inflate(data.data, data.uncompressed_size).map(|data| &*data.leak()),
            _ => None,
        }
    }

    /// Which build the file is, as the linker noted it.
    pub fn build_id(&self) -> Option<&'static [u8]> {
        self.file.build_id().ok().flatten().filter(|id| !id.is_empty())
    }

    /// The byte order of its numbers.
    pub fn endian(&self) -> gimli::RunTimeEndian {
        match self.file.is_little_endian() {
            true => gimli::RunTimeEndian::Little,
            false => gimli::RunTimeEndian::Big,
        }
    }
}

fn inflate(data: &[u8], size: u64) -> Option<Vec<u8>> {
    if size > (data.len() as u64).saturating_mul(MAX_RATIO) {
        return None;
    }
    let limit = usize::try_from(size).ok()?;
    miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(data, limit).ok()
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Memory is always there to write to.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claims_too_much_is_not_unpacked() {
        assert_eq!(inflate(&[1, 2, 3], u64::MAX), None);
        assert_eq!(inflate(&[1, 2, 3], 100), None);
    }

    #[test]
    fn nonsense_is_no_image() {
        assert!(Image::parse(b"").is_none());
        assert!(Image::parse(b"\x7fELF and then nothing").is_none());
    }

    #[test]
    fn hexadecimal() {
        assert_eq!(hex(&[0x00, 0xab, 0x0f]), "00ab0f");
    }
}
