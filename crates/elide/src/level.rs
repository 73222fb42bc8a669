//! How far check elimination goes.

/// Each level does what those before it do, and more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// Nothing.
    Off,
    /// Checks are removed that were made before in the same span.
    Redundant,
    /// Neighbouring fields, and the elements that a loop goes through, are checked together.
    Coalesce,
    /// The comparison that decides most checks stands in the code itself.
    #[default]
    Inline,
}

impl Level {
    /// All of them.
    pub const ALL: [Level; 4] = [Level::Off, Level::Redundant, Level::Coalesce, Level::Inline];

    /// What it is called on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Redundant => "redundant",
            Level::Coalesce => "coalesce",
            Level::Inline => "inline",
        }
    }

    /// The level of that name.
    pub fn named(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }
}
