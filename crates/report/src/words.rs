//! Numbers and names put into words that are safe to print: names come from trace files, which anyone may have written.

use deadheat_clock::Tid;
use deadheat_trace::{
    BarrierId, ChanId, CondId, EventId, LabelId, Loc, LockId, Mode, Span, Symbols, VolatileId,
};

/// The number with a comma between thousands.
pub(crate) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 event`, `1,234 events`, `2 pairs of places`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(n), if n == 1 { one } else { many })
}

/// What a person calls that event: numbered from 1, as lines are.
pub(crate) fn event(e: EventId) -> String {
    format!("event {}", number(e.0 + 1))
}

/// What the thread did, in the past tense.
pub(crate) fn verb(mode: Mode) -> &'static str {
    match mode {
        Mode::Read => "read",
        Mode::Write => "wrote",
        Mode::AtomicRead => "atomically read",
        Mode::AtomicWrite => "atomically wrote",
    }
}

/// What to call the access afterwards.
pub(crate) fn noun(mode: Mode) -> &'static str {
    match mode {
        Mode::Read => "read",
        Mode::Write => "write",
        Mode::AtomicRead => "atomic read",
        Mode::AtomicWrite => "atomic write",
    }
}

/// Shows characters that a terminal would obey, that turn the direction of writing round, or that XML forbids, as `\u{…}`.
pub fn printable(name: String) -> String {
    if !name.chars().any(is_unprintable) {
        return name;
    }
    name.chars()
        .flat_map(|c| if is_unprintable(c) { c.escape_default().collect() } else { vec![c] })
        .collect()
}

fn is_unprintable(c: char) -> bool {
    let bidirectional =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let line_break = matches!(c, '\u{2028}' | '\u{2029}');
    c.is_control() || bidirectional || line_break || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// The part of the name that fits: the middle goes, because names tell themselves apart at their ends.
pub(crate) fn shorten(name: &str, max: usize) -> String {
    let len = name.chars().count();
    if len <= max {
        return name.to_owned();
    }
    let tail = (max - 1) / 2;
    let head = max - 1 - tail;
    name.chars().take(head).chain(['…']).chain(name.chars().skip(len - tail)).collect()
}

/// The trace's names, safe to print. Everything that this crate shows to a person goes through here.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a>(pub &'a Symbols);

macro_rules! printable_names {
    ($($name:ident: $id:ty),* $(,)?) => {
        $(pub(crate) fn $name(self, id: $id) -> String {
            printable(self.0.$name(id))
        })*
    };
}

impl Names<'_> {
    printable_names! {
        thread: Tid, lock: LockId, volatile: VolatileId, cond: CondId, barrier: BarrierId, chan: ChanId, label: LabelId, span: Span,
    }

    /// Where in the program: `bank.c:31`, or `location 345` if all the trace has is a number.
    pub(crate) fn place(self, loc: Loc) -> Option<String> {
        match loc.as_number() {
            Some(n) => Some(format!("location {n}")),
            None => self.0.loc(loc).map(printable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let shown = [0, 999, 1_000, 12_345, 1_234_567, u64::MAX].map(number);
        assert_eq!(shown, ["0", "999", "1,000", "12,345", "1,234,567", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn one_is_singular() {
        let shown = [0, 1, 2].map(|n| counted(n, "variable", "variables"));
        assert_eq!(shown, ["0 variables", "1 variable", "2 variables"]);
    }

    #[test]
    fn names_cannot_drive_the_terminal() {
        assert_eq!(printable("a\x1b[2Jb\u{202e}c\n".into()), "a\\u{1b}[2Jb\\u{202e}c\\n");
        assert_eq!(printable("größe→x".into()), "größe→x");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shorten("w 0x7ffe12345678:8", 11), "w 0x7…678:8");
        assert_eq!(shorten("w counter", 11), "w counter");
    }
}
