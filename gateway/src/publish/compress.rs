//! Compressing the files of a release, once, when it is published.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::negotiate::Coding;
use crate::release::File;
use crate::store::{StoreError, variant_path};

/// Files above this size get the second-best Brotli level: the best would keep a publish waiting for seconds.
const SLOW_ABOVE: usize = 1024 * 1024;

/// What compressing the files of a release has come to.
#[derive(Debug, Default)]
pub(super) struct Compressed {
    /// The variants that are kept, by the file's path.
    pub(super) variants: BTreeMap<String, Vec<Coding>>,
    /// How many bytes of each file go over the wire to a browser that knows Brotli.
    pub(super) sizes: BTreeMap<String, u64>,
}

/// Writes the compressed variants of public files beside them. A variant that is not smaller is not kept.
pub(super) fn compress(files: &[&File], folder: &Path) -> Result<Compressed, StoreError> {
    let mut compressed = Compressed::default();
    for file in files {
        if !file.path.starts_with("client/") {
            continue;
        }
        let path = folder.join(&file.path);
        let failed = |source| StoreError::Io {
            path: path.clone(),
            source,
        };
        let bytes = fs::read(&path).map_err(failed)?;
        let mut wire = bytes.len();
        let mut kept = Vec::new();
        for coding in [Coding::Gzip, Coding::Zstd, Coding::Br] {
            if !file.is_compressible() {
                break;
            }
            let encoded = encode(&bytes, coding, Effort::Best).map_err(failed)?;
            if encoded.len() < bytes.len() {
                let target = folder.join(variant_path(&file.path, coding));
                target
                    .parent()
                    .map_or(Ok(()), fs::create_dir_all)
                    .map_err(failed)?;
                if coding == Coding::Br {
                    wire = encoded.len();
                }
                fs::write(&target, encoded).map_err(failed)?;
                kept.push(coding);
            }
        }
        compressed.sizes.insert(file.path.clone(), wire as u64);
        if !kept.is_empty() {
            compressed.variants.insert(file.path.clone(), kept);
        }
    }
    Ok(compressed)
}

/// How much time compressing may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// It is done once for all the requests to come.
    Best,
    /// Somebody waits for it.
    Quick,
}

/// The best Zstandard level whose window every browser accepts: those above it want more than 8 MiB of large files
/// (RFC 9659).
const BEST_ZSTD: i32 = 19;

/// The Brotli level that takes no longer than sending the bytes it saves.
const QUICK_BROTLI: i32 = 5;

/// Some bytes in a coding, as small as is worth the time.
pub(crate) fn encode(bytes: &[u8], coding: Coding, effort: Effort) -> io::Result<Vec<u8>> {
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
                ..BrotliEncoderParams::default()
            };
            let mut compressed = Vec::new();
            brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &params)?;
            Ok(compressed)
        }
    }
}
