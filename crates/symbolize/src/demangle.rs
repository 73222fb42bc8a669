//! Names as the linker knows them turned into names as the source has them.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::{self, Write};
use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

/// Longer names stay as they are: nobody could read them.
const MAX_LEN: usize = 8 << 10;
/// So do those that get longer than this. Parts of a name can refer to each other so that it doubles again and again.
const MAX_SHOWN: usize = 64 << 10;
/// How deep names may nest. The demangler recurses, perhaps on a small stack.
const MAX_DEPTH: u32 = 64;

/// The readable form of a name of Rust or C++; any other name as it is.
pub fn demangle(name: &str) -> Cow<'_, str> {
    if name.len() > MAX_LEN {
        return Cow::Borrowed(name);
    }
    rust(name).or_else(|| cpp(name)).map_or(Cow::Borrowed(name), Cow::Owned)
}

/// Both of Rust's schemes, without the hash.
fn rust(name: &str) -> Option<String> {
    let parsed = rustc_demangle::try_demangle(name).ok()?;
    let mut out = Limited(String::new());
    write!(out, "{parsed:#}").ok()?;
    Some(out.0)
}

/// The Itanium scheme, which all C++ compilers of Linux use.
fn cpp(name: &str) -> Option<String> {
    if !name.starts_with("_Z") && !name.starts_with("_GLOBAL__") {
        return None;
    }
    let parse = ParseOptions::default().recursion_limit(MAX_DEPTH);
    let show = DemangleOptions::default().recursion_limit(MAX_DEPTH).hide_expression_literal_types();
    let mut out = Limited(String::new());
    Symbol::new_with_options(name, &parse).ok()?.structured_demangle(&mut out, &show).ok()?;
    Some(tidy(out.0))
}

/// The name as LLVM's demangler has it, for suppressions that were written for it: without what is left of empty parameter
/// packs, and without the blank that C++98 needed between two brackets.
fn tidy(name: String) -> String {
    let tidied = [(", &&)", ")"), (", )", ")"), (", >", ">"), ("> >", ">>"), ("> >", ">>")];
    tidied.into_iter().fold(name, |name, (from, to)| match name.contains(from) {
        true => name.replace(from, to),
        false => name,
    })
}

/// Text that does not grow without end.
struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_SHOWN {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_schemes() {
        assert_eq!(demangle("main"), "main");
        assert_eq!(demangle("_ZN2ns1CIiE2goEPi"), "ns::C<int>::go(int*)");
        assert_eq!(demangle("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"), "core::fmt::Formatter::pad");
        assert_eq!(demangle("_RNvC6_123foo3bar"), "123foo::bar");
        assert_eq!(demangle("_ZZ4mainE1x"), "main::x");
        assert_eq!(demangle("_Zgarbage"), "_Zgarbage");
        assert_eq!(demangle("_Z1fI1xJEEvOT_DpOT0_"), "void f<x>(x&&)");
        assert_eq!(demangle("_Z1f1AIS_IS_IS_IiEEEE"), "f(A<A<A<A<int>>>>)");
        assert_eq!(demangle("_Z1fILm0EEvv"), "void f<0>()");
    }

    #[test]
    fn long_names_stay() {
        let long = "_Z".repeat(MAX_LEN);
        assert_eq!(demangle(&long), long);
    }

    /// `f(P<int, int>, P<P<int, int>, P<int, int>>, …)`: each part twice the one before.
    #[test]
    fn names_that_double_stay() {
        let mut name = String::from("_Z1f1PIiiE");
        for nth in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".chars() {
            name += &std::format!("S_IS{nth}_S{nth}_E");
        }
        assert_eq!(demangle("_Z1f1PIiiES_IS0_S0_E"), "f(P<int, int>, P<P<int, int>, P<int, int>>)");
        assert_eq!(demangle(&name), name);
    }

    proptest! {
        #[test]
        fn no_name_is_too_odd(name in "_(Z|R)[A-Za-z0-9_$.]{0,80}") {
            demangle(&name);
        }

        #[test]
        fn nor_one_almost_right(at in 0..60usize, with in "[A-Z0-9a-z_]") {
            let mut name = String::from("_ZNSt6threadC2IRFvPiEJS1_EvEEOT_DpOT0_St6vectorIS_SaIS_EE");
            if at < name.len() {
                name.replace_range(at..at + 1, &with);
            }
            demangle(&name);
        }
    }
}
