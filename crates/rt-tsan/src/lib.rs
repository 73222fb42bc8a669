//! Deadheat behind `-fsanitize=thread`: the `__tsan_*` functions that compilers call, and the interceptors.
//!
//! Interceptors are written as `__interceptor_NAME`; packaging renames them to `NAME`, and our own calls of `memcpy` and its like to the functions in
//! `lang`, so that the runtime never watches itself.
#![no_std]

extern crate alloc;

mod access;
mod annotate;
mod atomics;
mod cold;
mod entry;
mod intercept;
mod lang;
mod paths;
mod real;
mod short;
