//! Functions that answer into the program's memory, told in one line each.

/// Interceptors of functions that read strings and fill memory of the program:
///
/// ```text
/// answers! {
///     fn readlink(path: Text, to: To, room: usize) -> n: isize { texts path; if n >= 0 => to[n as usize] }
/// }
/// ```
/// `path` is read before the call; if `n >= 0` afterwards, so many bytes were written at `to`, or one object where no number is given. `uses fd;` says that a
/// descriptor is used.
#[macro_export]
macro_rules! answers {
    (@bytes $at:ident) => { $crate::intercept::touch::bytes_of($at) };
    (@bytes $at:ident $bytes:expr) => { $bytes };
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ident: $returns:ty {
        $(texts $($text:ident),+;)? $(uses $fd:ident;)? if $done:expr => $($at:ident $([$bytes:expr])?),*
    })*) => {
        $crate::interceptors! {$(
            fn $name(pc; $($argument: $type),*) -> $returns {
                $($($crate::intercept::touch::text($text, pc);)+)?
                $($crate::intercept::files::used($fd, pc);)?
                let $result = real($($argument),*);
                if $done {
                    $($crate::intercept::touch::write($at, $crate::answers!(@bytes $at $($bytes)?), pc);)*
                }
                $result
            }
        )*}
    };
}

/// Interceptors of functions that read strings, and nothing else of the program's.
#[macro_export]
macro_rules! reads_texts {
    ($($name:ident($($argument:ident: $type:ty),*) $($text:ident)+;)*) => {
        $crate::interceptors! {$(
            fn $name(pc; $($argument: $type),*) -> core::ffi::c_int {
                $($crate::intercept::touch::text($text, pc);)+
                real($($argument),*)
            }
        )*}
    };
}
