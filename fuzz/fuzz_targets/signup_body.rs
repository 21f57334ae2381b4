#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| colonnade_site::fuzzing::signup_body(bytes));
