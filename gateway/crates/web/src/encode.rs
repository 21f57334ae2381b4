//! Content codings: gzip, Zstandard and Brotli (RFC 9110, section 8.4.1).

use std::io::{self, Write as _};
use std::ops::RangeInclusive;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::content_negotiation::Coding;
use crate::request_scope;

/// Files above this size in bytes get Brotli level 9: level 11 would delay a publish by seconds.
const SLOW_ABOVE: usize = 1024 * 1024;

/// The trade-off between time and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// For files that are compressed once and served often.
    Best,
    /// For responses that are compressed while a client waits.
    Quick,
}

/// The highest Zstandard level with a window of at most 8 MiB, the most that every browser accepts (RFC 9659).
const BEST_ZSTD: i32 = 19;

/// The highest Brotli level that costs less time than sending the bytes it saves.
const QUICK_BROTLI: i32 = 6;

/// The windows that Brotli may use, in bits: up to its default. A smaller one would change its algorithm.
const WINDOW_BITS: RangeInclusive<u32> = 17..=22;

/// Encodes bytes.
pub fn encode(bytes: &[u8], coding: Coding, effort: Effort) -> io::Result<Vec<u8>> {
    debug_assert!(request_scope::may_block());
    let is_quick = effort == Effort::Quick;
    match coding {
        Coding::Identity => Ok(bytes.to_vec()),
        Coding::Gzip => {
            let level = if is_quick {
                Compression::default()
            } else {
                Compression::best()
            };
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(bytes)?;
            encoder.finish()
        }
        Coding::Zstd => {
            let level = if is_quick {
                zstd::DEFAULT_COMPRESSION_LEVEL
            } else {
                BEST_ZSTD
            };
            zstd::bulk::compress(bytes, level)
        }
        Coding::Br => {
            let quality = match effort {
                Effort::Quick => QUICK_BROTLI,
                Effort::Best if bytes.len() > SLOW_ABOVE => 9,
                Effort::Best => 11,
            };
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
    }
}

/// The smallest window for content of this length (RFC 7932, section 9.1). The encoder first fills two windows with zeros, which
/// are 8 MiB with the largest window.
fn window_bits(length: usize) -> i32 {
    // The last 16 bytes of a window cannot be used.
    let bits = (length + 16).next_power_of_two().ilog2();
    bits.clamp(*WINDOW_BITS.start(), *WINDOW_BITS.end()).cast_signed()
}
