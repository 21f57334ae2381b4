//! Fuzz targets: each takes arbitrary bytes and panics if a parser violates an invariant.

use crate::{pattern, release};

/// Request paths and page patterns.
pub fn paths(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    pattern::fuzz::path(&text);
    pattern::fuzz::pattern(&text);
}

/// The content of a `release.json`.
pub fn release_json(bytes: &[u8]) {
    release::fuzz::release_json(bytes);
}

#[cfg(test)]
mod tests {
    use colonnade_testing::replay_corpus;

    #[test]
    fn paths_corpus_passes() {
        replay_corpus("paths", super::paths);
    }

    #[test]
    fn release_json_corpus_passes() {
        replay_corpus("release_json", super::release_json);
    }
}
