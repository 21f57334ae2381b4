#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gateway::fuzzing::http2_frames(bytes));
