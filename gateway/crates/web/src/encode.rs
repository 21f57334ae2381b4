//! Content codings: gzip, Zstandard and Brotli (RFC 9110, section 8.4.1).

use std::io::{self, Write as _};

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

/// The highest Zstandard level with a window of at most 8 MiB, the most that every browser accepts
/// (RFC 9659).
const BEST_ZSTD: i32 = 19;

/// The highest Brotli level that costs less time than sending the bytes it saves.
const QUICK_BROTLI: i32 = 6;

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
            colonnade_brotli::compress(bytes, quality)
        }
    }
}
