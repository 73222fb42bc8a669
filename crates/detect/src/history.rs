//! What a location remembers of an access, and of one access per thread.

use deadheat_clock::{Clock, Epoch, Knowledge, Tid, TidMap, VectorClock};
use deadheat_report::{Evidence, Party};
use deadheat_trace::{Event, EventId, Loc, Mode};

/// Which access it was: its event, thread and place, in 16 bytes so that a VerifiedFT cell has the size of a cache line.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    event: [u32; 2],
    tid: Tid,
    loc: Loc,
}

impl Site {
    /// The site of that event.
    #[inline]
    pub fn new(id: EventId, event: &Event) -> Site {
        Site { event: [id.0 as u32, (id.0 >> 32) as u32], tid: event.tid, loc: event.loc }
    }

    /// The event.
    pub fn event(self) -> EventId {
        EventId(u64::from(self.event[0]) | u64::from(self.event[1]) << 32)
    }

    /// The access made here, as a report wants it.
    pub fn party(self, mode: Mode) -> Party {
        Party { event: self.event(), tid: self.tid, loc: self.loc, mode }
    }
}

impl Default for Site {
    fn default() -> Site {
        Site { event: [0; 2], tid: Tid(0), loc: Loc::NONE }
    }
}

/// Knowledge that can tell whether it covers a given access.
pub trait Witness: Knowledge {
    /// What an access leaves behind for others to know.
    type Stamp: Copy;

    /// Does the access with that stamp happen before now?
    fn knows(&self, stamp: Self::Stamp) -> bool;

    /// Why an access by a thread that has this knowledge, and that slot, is not ordered after the one with that stamp.
    fn evidence(&self, slot: Tid, stamp: Self::Stamp) -> Evidence;
}

impl Witness for VectorClock {
    type Stamp = Epoch;

    #[inline]
    fn knows(&self, stamp: Epoch) -> bool {
        self.covers(stamp)
    }

    fn evidence(&self, slot: Tid, stamp: Epoch) -> Evidence {
        Evidence::Clocks { prior: stamp.clock(), current: self.get(slot), known: self.get(stamp.tid()) }
    }
}

/// An earlier access that nothing orders before the present one.
pub struct Conflict<S> {
    /// The earlier access.
    pub prior: Party,
    /// What it left behind.
    pub stamp: S,
}

impl Conflict<Epoch> {
    /// The access of that mode at `epoch`, made at `site`.
    #[cold]
    pub fn at(epoch: Epoch, site: Site, mode: Mode) -> Conflict<Epoch> {
        Conflict { prior: site.party(mode), stamp: epoch }
    }
}

/// The last access of each thread: a vector clock that also knows where.
#[derive(Clone, Default)]
pub struct History {
    last: TidMap<(Clock, Site)>,
}

impl History {
    /// The clock of `t`'s last access.
    #[inline]
    pub fn clock(&self, t: Tid) -> Clock {
        self.last.get(t).0
    }

    /// `V[t := c]`.
    #[inline]
    pub fn record(&mut self, epoch: Epoch, site: Site) {
        *self.last.entry(epoch.tid()) = (epoch.clock(), site);
    }

    /// `V ⊑ C`, or else an access that is not covered.
    #[inline]
    pub fn check(&self, known: &VectorClock, mode: Mode) -> Option<Conflict<Epoch>> {
        let (tid, (clock, site)) = self.last.iter().find(|&(t, (c, _))| c > known.get(t))?;
        Some(Conflict::at(Epoch::new(tid, clock), site, mode))
    }

    /// The threads with an access and when their last was.
    #[cfg(test)]
    pub fn entries(&self) -> impl Iterator<Item = (Tid, Clock)> + '_ {
        self.last.iter().map(|(t, (c, _))| (t, c)).filter(|(_, c)| *c != Clock::ZERO)
    }
}
