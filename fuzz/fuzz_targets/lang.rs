//! Any bytes as a program of the small language.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| deadheat_fuzz::lang::check_program(input));
