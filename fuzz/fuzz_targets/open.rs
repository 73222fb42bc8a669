//! Any bytes as any file, compressed ones included.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| deadheat_fuzz::check_any(input));
