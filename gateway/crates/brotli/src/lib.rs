//! Brotli compression (RFC 7932). The encoder is generic code, which is compiled in the crate that
//! calls it. This crate is optimized in development builds, too: each publish spends most of its
//! time here.

use std::io;
use std::ops::RangeInclusive;

use brotli::enc::BrotliEncoderParams;

/// The windows that Brotli may use, in bits: up to its default. A smaller one would change its
/// algorithm.
const WINDOW_BITS: RangeInclusive<u32> = 17..=22;

/// Compresses bytes at a quality from 0, the fastest, to 11, the smallest.
///
/// # Errors
///
/// The encoder fails, which it does for no input.
pub fn compress(bytes: &[u8], quality: i32) -> io::Result<Vec<u8>> {
    let params = BrotliEncoderParams {
        quality,
        size_hint: bytes.len(),
        lgwin: window_bits(bytes.len()),
        ..BrotliEncoderParams::default()
    };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &params)?;
    Ok(compressed)
}

/// The smallest window for content of this length (RFC 7932, section 9.1). The encoder first fills
/// two windows with zeros, which are 8 MiB with the largest window.
fn window_bits(length: usize) -> i32 {
    // The last 16 bytes of a window cannot be used.
    let bits = (length + 16).next_power_of_two().ilog2();
    bits.clamp(*WINDOW_BITS.start(), *WINDOW_BITS.end()).cast_signed()
}
