#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| colonnade_edge::fuzzing::http2_frames(bytes));
