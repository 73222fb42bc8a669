//! A trace drawn: a lane per thread, time flowing down, arrows for what orders what, races in red.
//!
//! There are two forms: a page for browsers ([`Picture::write_html`]), which draws only what is in view and can therefore show long
//! traces, and a still ([`Picture::write_svg`]), which is complete in itself. Both take their geometry from `layout`.

mod data;
mod edge;
mod escape;
mod html;
mod layout;
mod svg;
#[cfg(test)]
mod tests;

pub use edge::PictureEdge;

use crate::Race;
use deadheat_trace::{Event, Symbols};
use std::io;

/// A trace with what orders its events and what races in it.
#[derive(Clone, Copy)]
pub struct Picture<'a> {
    /// What to call it: the trace's file, say.
    pub title: &'a str,
    /// All the events, in the order of the trace.
    pub events: &'a [Event],
    /// The names.
    pub symbols: &'a Symbols,
    /// The direct orderings between events of different threads.
    pub edges: &'a [PictureEdge],
    /// The races, numbered from 1 in this order.
    pub races: &'a [Race],
}

impl Picture<'_> {
    /// A still with more events than this would be unreadably long, and slow to open in most viewers.
    pub const SVG_LIMIT: usize = 2_000;

    /// Writes a page that needs nothing but itself.
    pub fn write_html(&self, out: &mut dyn io::Write) -> io::Result<()> {
        html::write(self, out)
    }

    /// Writes a still without scripts; an error of kind `InvalidInput` beyond [`SVG_LIMIT`](Self::SVG_LIMIT) events.
    pub fn write_svg(&self, out: &mut dyn io::Write) -> io::Result<()> {
        if self.events.len() > Self::SVG_LIMIT {
            let (n, limit) = (self.events.len(), Self::SVG_LIMIT);
            let what = format!("{n} events are too many for an SVG (at most {limit}); draw HTML instead");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        svg::write(self, out)
    }
}
