//! Compressed files: recognised by their first bytes, unpacked and packed as a stream.

use std::io::{self, BufReader, Read, Write};

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, one member or several.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// All of them.
    pub const ALL: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zstd];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }

    /// How the file that starts like this is packed. No trace in the formats here starts like a packed one: neither magic is UTF-8.
    pub(super) fn detect(head: &[u8]) -> Compression {
        match head {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            _ => Compression::None,
        }
    }

    /// The unpacked contents.
    pub(super) fn unpack<'a>(self, input: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
        let input = BufReader::with_capacity(64 << 10, input);
        Ok(match self {
            Compression::None => Box::new(input),
            Compression::Gzip => {
                Box::new(Unpacked { inner: flate2::bufread::MultiGzDecoder::new(input), how: self })
            }
            Compression::Zstd => {
                let inner = zstd::stream::read::Decoder::with_buffer(input)?;
                Box::new(Unpacked { inner, how: self })
            }
        })
    }
}

/// Says in words of ours what is wrong with packed data.
struct Unpacked<R> {
    inner: R,
    how: Compression,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.inner.read(to).map_err(|e| {
            let how = self.how.name();
            match e.kind() {
                // The operating system's own errors, and interruptions, are not the decoder's.
                _ if e.raw_os_error().is_some() => e,
                io::ErrorKind::Interrupted => e,
                kind @ io::ErrorKind::UnexpectedEof => {
                    io::Error::new(kind, format!("the {how} data is cut off"))
                }
                kind if e.to_string().contains("too much memory") => {
                    io::Error::new(kind, format!("the {how} data needs more memory to unpack than 128 MiB"))
                }
                kind => io::Error::new(kind, format!("the {how} data is damaged ({e})")),
            }
        })
    }
}

/// Packs what is written to it.
pub(super) enum Output<'a> {
    Plain(Box<dyn Write + 'a>),
    Gzip(Box<flate2::write::GzEncoder<Box<dyn Write + 'a>>>),
    Zstd(zstd::stream::write::Encoder<'static, Box<dyn Write + 'a>>),
}

impl<'a> Output<'a> {
    pub(super) fn new(how: Compression, to: Box<dyn Write + 'a>) -> io::Result<Output<'a>> {
        Ok(match how {
            Compression::None => Output::Plain(to),
            Compression::Gzip => {
                Output::Gzip(Box::new(flate2::write::GzEncoder::new(to, flate2::Compression::default())))
            }
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(to, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                // Damage shows as such, and not as a line that looks odd.
                encoder.include_checksum(true)?;
                Output::Zstd(encoder)
            }
        })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Output::Plain(to) => to.write_all(bytes),
            Output::Gzip(to) => to.write_all(bytes),
            Output::Zstd(to) => to.write_all(bytes),
        }
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let mut to = match self {
            Output::Plain(to) => to,
            Output::Gzip(encoder) => encoder.finish()?,
            Output::Zstd(encoder) => encoder.finish()?,
        };
        to.flush()
    }
}
