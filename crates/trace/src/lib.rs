//! Traces of concurrent programs: what an event is, which traces can happen, what orders them, how they are stored.

mod feasible;
pub mod format;
pub mod generate;
mod hb;
mod op;
mod source;
mod symbols;

pub use deadheat_clock::Tid;
pub use feasible::{Feasibility, Fix, Hold, Repair, Rule, Violation};
pub use hb::{Edge, EdgeKind, End, HappensBefore, RacePair, TooLong, edges, races};
pub use op::{
    Access, Addr, BarrierId, ChanId, CondId, Event, EventId, FenceOrder, LabelId, LoadOrder, Loc, LockId,
    Mode, Op, RmwOrder, Scope, Span, StoreOrder, VolatileId,
};
pub use source::{Batch, Position, Source, Trace, TraceError};
pub use symbols::{Namespace, Symbols};
