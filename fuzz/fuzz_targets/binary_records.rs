//! Any bytes as the records of a binary trace whose checksums are right.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| deadheat_fuzz::check_any(&deadheat_fuzz::binary_file(input)));
