//! The types of options and how their values are written.

use alloc::format;
use alloc::string::String;

/// A type of option.
pub(super) trait Value: Sized {
    /// What a value looks like, for an error message.
    const EXPECTED: &'static str;
    /// Reads a value.
    fn parse(text: &str) -> Option<Self>;
    /// Shows a value as it would be written.
    fn shown(&self) -> String;
}

impl Value for bool {
    const EXPECTED: &'static str = "0, 1, false, true, no or yes";

    fn parse(text: &str) -> Option<bool> {
        match text {
            "0" | "false" | "no" => Some(false),
            "1" | "true" | "yes" => Some(true),
            _ => None,
        }
    }

    fn shown(&self) -> String {
        if *self { "1".into() } else { "0".into() }
    }
}

impl Value for u32 {
    const EXPECTED: &'static str = "a number from 0 to 4294967295";

    fn parse(text: &str) -> Option<u32> {
        match text.strip_prefix("0x") {
            Some(digits) if !digits.starts_with('+') => u32::from_str_radix(digits, 16).ok(),
            _ => text.parse().ok(),
        }
    }

    fn shown(&self) -> String {
        format!("{self}")
    }
}

impl Value for i32 {
    const EXPECTED: &'static str = "a number";

    fn parse(text: &str) -> Option<i32> {
        text.parse().ok()
    }

    fn shown(&self) -> String {
        format!("{self}")
    }
}

impl Value for String {
    const EXPECTED: &'static str = "text";

    fn parse(text: &str) -> Option<String> {
        Some(text.into())
    }

    fn shown(&self) -> String {
        self.clone()
    }
}

/// An option with a few named values.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident, $expected:literal { $($(#[$case_doc:meta])* $case:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name {
            $($(#[$case_doc])* $case,)*
        }

        impl $name {
            /// All values.
            pub const ALL: &'static [$name] = &[$($name::$case,)*];

            /// The value as it is written.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$case => $text,)*
                }
            }
        }

        impl Value for $name {
            const EXPECTED: &'static str = $expected;

            fn parse(text: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.name() == text)
            }

            fn shown(&self) -> String {
                self.name().into()
            }
        }
    };
}

choice! {
    /// When to use colours.
    ColorChoice, "always, never or auto" {
        /// Whatever the output is.
        Always = "always",
        /// Not at all.
        Never = "never",
        /// If the output is a terminal.
        Auto = "auto",
    }
}

choice! {
    /// What input and output order.
    IoSync, "0, 1 or 2" {
        /// Nothing.
        Nothing = "0",
        /// A write to a file, pipe or socket before the read of it.
        WriteToRead = "1",
        /// Any before any later.
        Everything = "2",
    }
}

choice! {
    /// The way in which accesses are checked.
    Algorithm, "v1, v1.5, v2, ft-mutex or ft-cas" {
        /// VerifiedFT with a lock around every handler.
        V1 = "v1",
        /// VerifiedFT, same-epoch accesses without the lock.
        V15 = "v1.5",
        /// VerifiedFT, the common cases without the lock.
        V2 = "v2",
        /// FastTrack with a lock around every handler.
        FtMutex = "ft-mutex",
        /// FastTrack with compare-and-swap.
        FtCas = "ft-cas",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(["yes", "no", "2", ""].map(bool::parse), [Some(true), Some(false), None, None]);
        assert_eq!(
            ["7", "0x10", "-1", "0x+1", "4294967296"].map(u32::parse),
            [Some(7), Some(16), None, None, None]
        );
        assert_eq!(["-1", "x"].map(i32::parse), [Some(-1), None]);
        assert_eq!(["v1.5", "v3"].map(Algorithm::parse), [Some(Algorithm::V15), None]);
        assert_eq!(["always", "1"].map(ColorChoice::parse), [Some(ColorChoice::Always), None]);
    }
}
