//! What the calculus of Figure 7 does not have.

use deadheat_lang::Error;
use deadheat_lang::ast::Span;

/// That construct is not part of it.
pub fn refuse(span: Span, what: &str) -> Error {
    let message = format!("the instrumentation does not cover {what}");
    let help = "it covers the calculus of its paper: globals, arrays of them, mutexes, spawn and wait";
    Error::new(span, message, "not part of the calculus").help(help)
}

/// Too many clocks.
pub fn too_large() -> Error {
    Error::new(Span::default(), "the clocks would take more than half a million cells", "too many locations")
}
