//! The page: a template filled with its own style, script and data, so that it works from a file and without a network.

use super::Picture;
use super::data::Data;
use super::escape::{Escaped, script_json};
use super::layout::Layout;
use crate::words::printable;
use std::io::{Result, Write};

const PAGE: &str = include_str!("page.html");
/// `picture.css` is the still's too.
const STYLES: [&str; 2] = [include_str!("picture.css"), include_str!("page.css")];
const SCRIPTS: [&str; 4] =
    [include_str!("order.js"), include_str!("rows.js"), include_str!("draw.js"), include_str!("page.js")];

pub(super) fn write(picture: &Picture<'_>, out: &mut dyn Write) -> Result<()> {
    let data = script_json(&Data::new(picture, &Layout::new(picture)))?;
    let title = Escaped(&printable(picture.title.into())).to_string();
    // Split first, fill afterwards: what is filled in is never searched for slots.
    for (i, piece) in PAGE.split("{{").enumerate() {
        let text = if i == 0 { piece } else { write_slot(out, piece, &title, &data)? };
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// Writes what belongs in the slot that the piece starts with; the rest of the piece comes back.
fn write_slot<'p>(out: &mut dyn Write, piece: &'p str, title: &str, data: &str) -> Result<&'p str> {
    let (slot, rest) = piece.split_once("}}").expect("every slot of the template is closed");
    match slot {
        "title" => out.write_all(title.as_bytes())?,
        "style" => STYLES.iter().try_for_each(|s| out.write_all(s.as_bytes()))?,
        "script" => SCRIPTS.iter().try_for_each(|s| out.write_all(s.as_bytes()))?,
        "data" => out.write_all(data.as_bytes())?,
        other => unreachable!("the template has no slot {other}"),
    }
    Ok(rest)
}
