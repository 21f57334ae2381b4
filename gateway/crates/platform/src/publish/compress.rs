//! Compressing the files of a release once, when it is published.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use colonnade_model::release::File;
use colonnade_store::{StoreError, variant_path};
use colonnade_web::content_negotiation::Coding;
use colonnade_web::encode::{Effort, encode};

/// The result of compressing a release.
#[derive(Debug, Default)]
pub(super) struct Compressed {
    /// The compressed variants of each file, by its path.
    pub(super) variants: BTreeMap<String, Vec<Coding>>,
    /// The size in bytes of each file as sent to a browser that accepts Brotli, by its path.
    pub(super) sizes: BTreeMap<String, u64>,
}

/// Writes compressed variants of the public files to the folder. A variant that is not smaller than
/// its file is omitted.
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
        let mut transfer_size = bytes.len();
        let mut codings = Vec::new();
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
                    transfer_size = encoded.len();
                }
                fs::write(&target, encoded).map_err(failed)?;
                codings.push(coding);
            }
        }
        compressed.sizes.insert(file.path.clone(), transfer_size as u64);
        if !codings.is_empty() {
            compressed.variants.insert(file.path.clone(), codings);
        }
    }
    Ok(compressed)
}
