//! `[edge]` Feeds the telnet codec whatever the fuzzer thinks of.

#![no_main]

use std::time::Instant;

libfuzzer_sys::fuzz_target!(|data: &[u8]| belay_world_fuzz::check::check(data, Instant::now()));
