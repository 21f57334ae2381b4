//! Compressing the files of a release, once, when it is published.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::negotiate::Coding;
use crate::release::Release;
use crate::store::{StoreError, variant_path};

/// Files above this size get the second-best Brotli level: the best would keep a publish waiting for seconds.
const SLOW_ABOVE: usize = 1024 * 1024;

/// Writes the compressed variants of a release's public files beside them, and tells which there are. A variant that
/// is not smaller is not kept.
pub(super) fn compress(
    release: &Release,
    folder: &Path,
) -> Result<BTreeMap<String, Vec<Coding>>, StoreError> {
    let mut variants = BTreeMap::new();
    for file in &release.files {
        if !file.is_compressible() || !file.path.starts_with("client/") {
            continue;
        }
        let path = folder.join(&file.path);
        let failed = |source| StoreError::Io {
            path: path.clone(),
            source,
        };
        let bytes = fs::read(&path).map_err(failed)?;
        let mut kept = Vec::new();
        for coding in [Coding::Gzip, Coding::Br] {
            let compressed = encode(&bytes, coding).map_err(failed)?;
            if compressed.len() < bytes.len() {
                let target = folder.join(variant_path(&file.path, coding));
                target
                    .parent()
                    .map_or(Ok(()), fs::create_dir_all)
                    .map_err(failed)?;
                fs::write(&target, compressed).map_err(failed)?;
                kept.push(coding);
            }
        }
        if !kept.is_empty() {
            variants.insert(file.path.clone(), kept);
        }
    }
    Ok(variants)
}

/// Some bytes in a coding, as small as is worth the time.
pub(crate) fn encode(bytes: &[u8], coding: Coding) -> io::Result<Vec<u8>> {
    match coding {
        Coding::Identity => Ok(bytes.to_vec()),
        Coding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(bytes)?;
            encoder.finish()
        }
        Coding::Br => {
            let params = BrotliEncoderParams {
                quality: if bytes.len() > SLOW_ABOVE { 9 } else { 11 },
                size_hint: bytes.len(),
                ..BrotliEncoderParams::default()
            };
            let mut compressed = Vec::new();
            brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &params)?;
            Ok(compressed)
        }
    }
}
