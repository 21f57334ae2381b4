#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| colonnade_platform::fuzzing::tar(bytes));
