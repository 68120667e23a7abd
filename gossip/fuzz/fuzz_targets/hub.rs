//! `[edge]` Lets the fuzzer play several games against one hub.

#![no_main]

use std::time::Instant;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    belay_gossip_fuzz::check::hub(data, Instant::now());
});
