//! Reading the binary format, a block at a time.

use super::super::message::{excerpt, read_failed};
use super::super::reader::Decode;
use super::block::Block;
use super::{BLOCK_HEADER, END, FILE_HEADER, MAGIC, MAX_BLOCK, SIGNATURE, VERSION, checksum};
use crate::{Batch, Position, Symbols, TraceError};
use std::io::{self, Read};

/// Reads the binary format.
pub(in super::super) struct BinaryReader<R> {
    input: R,
    /// Offset in the input of what comes next.
    offset: u64,
    started: bool,
    ended: bool,
    block: Block,
    /// Events in the blocks before this one.
    total: u64,
    symbols: Symbols,
}

impl<R: Read> Decode for BinaryReader<R> {
    fn decode(&mut self, batch: &mut Batch) -> Result<(), TraceError> {
        // A batch stays within a block, whose offset it carries; a block may have names only.
        while batch.events.is_empty() {
            if self.block.is_done() && !self.next_block()? {
                break;
            }
            batch.offset = self.block.offset();
            self.block.decode(batch, &mut self.symbols)?;
        }
        Ok(())
    }

    fn symbols(&self) -> &Symbols {
        &self.symbols
    }
}

impl<R: Read> BinaryReader<R> {
    pub(in super::super) fn new(input: R) -> BinaryReader<R> {
        let (block, symbols) = (Block::default(), Symbols::default());
        BinaryReader { input, offset: 0, started: false, ended: false, block, total: 0, symbols }
    }

    /// Reads the next block; `false` after the end block.
    fn next_block(&mut self) -> Result<bool, TraceError> {
        self.block.check_count()?;
        if self.ended {
            return Ok(false);
        }
        if !self.started {
            self.file_header()?;
        }
        self.total += self.block.events();
        let offset = self.offset;
        let mut header = [0; BLOCK_HEADER];
        self.fill(&mut header, "where a block should start")?;
        let number = |i: usize| u32::from_le_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]]);
        let (events, len, crc) = (number(0), number(4), number(8));
        self.read_records(offset, len)?;
        if checksum(&header[..8], self.block.records()) != crc {
            return Err(TraceError::new(
                Position::Byte(offset),
                "the block is damaged: its checksum is wrong",
            ));
        }
        self.block.start(offset, events);
        if events == END { self.end_block(offset).map(|()| false) } else { Ok(true) }
    }

    fn file_header(&mut self) -> Result<(), TraceError> {
        let mut header = [0; FILE_HEADER];
        self.fill(&mut header, "in its header")?;
        let (magic, version) = header.split_at(MAGIC.len());
        if magic != MAGIC {
            let why = if magic.starts_with(SIGNATURE) { ": line ends were converted" } else { "" };
            let what = format!("not a binary trace{why}, it starts with {}", excerpt(magic));
            return Err(TraceError::new(Position::Byte(0), what));
        }
        let version = u32::from_le_bytes([version[0], version[1], version[2], version[3]]);
        if version != VERSION {
            let what = format!("version {version} of the binary format is not known, only version {VERSION}");
            return Err(TraceError::new(Position::Byte(MAGIC.len() as u64), what));
        }
        self.started = true;
        Ok(())
    }

    fn read_records(&mut self, offset: u64, len: u32) -> Result<(), TraceError> {
        let len = len as usize;
        if len > MAX_BLOCK {
            let what = format!("a block of {len} bytes is larger than the limit of {MAX_BLOCK}");
            return Err(TraceError::new(Position::Byte(offset), what));
        }
        let mut block = std::mem::take(&mut self.block).cleared(len);
        self.fill(block.space(), "in the middle of a block")?;
        self.block = block;
        Ok(())
    }

    /// Checks that nothing is missing and nothing follows.
    fn end_block(&mut self, offset: u64) -> Result<(), TraceError> {
        self.ended = true;
        let promised = self.block.records().try_into().map(u64::from_le_bytes);
        self.block = Block::default();
        let wrong = |what| Err(TraceError::new(Position::Byte(offset), what));
        match promised {
            Ok(n) if n == self.total => {}
            Ok(n) => return wrong(format!("the trace should have {n} events, found {}", self.total)),
            Err(_) => return wrong("the end block has a wrong length".to_owned()),
        }
        let after = self.offset;
        match self.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(TraceError::new(Position::Byte(after), "something follows the end of the trace")),
        }
    }

    /// Fills the buffer from the input.
    fn fill(&mut self, to: &mut [u8], place: &str) -> Result<(), TraceError> {
        let mut filled = 0;
        while filled < to.len() {
            match self.read(&mut to[filled..])? {
                0 => {
                    let what = format!("the file ends {place}; it was cut off");
                    return Err(TraceError::new(Position::Byte(self.offset), what));
                }
                n => filled += n,
            }
        }
        Ok(())
    }

    fn read(&mut self, to: &mut [u8]) -> Result<usize, TraceError> {
        loop {
            match self.input.read(to) {
                Ok(n) => {
                    self.offset += n as u64;
                    return Ok(n);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(read_failed(Position::Byte(self.offset), &e)),
            }
        }
    }
}
