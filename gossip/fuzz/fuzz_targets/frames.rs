//! `[edge]` Feeds both decoders whatever the fuzzer thinks of.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| belay_gossip_fuzz::check::frames(text));
