//! Any bytes as JSON Lines.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| deadheat_fuzz::check(deadheat_trace::format::Format::Jsonl, input));
