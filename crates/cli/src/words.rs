//! Numbers and names in messages.

/// `1 race`, `2 races`.
pub fn counted(n: u64, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// The text with what a terminal would obey, or what would end the line, written out: names come from files that anyone may have made.
pub fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if obeyed(c) { c.escape_default().collect() } else { vec![c] }).collect()
}

fn obeyed(c: char) -> bool {
    let turns_direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns_direction || matches!(c, '\u{2028}' | '\u{2029}')
}
