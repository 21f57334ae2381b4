//! Fuzz targets: each accepts any bytes, and panics if an invariant of a parser does not hold.

use colonnade_web::fuzzing::header_lines;
use http::header::RANGE;

use crate::asset;

pub use crate::integrations::fuzzing::*;

/// `Range` headers, one per line.
pub fn range(bytes: &[u8]) {
    asset::fuzz::range(&header_lines(&RANGE, bytes));
}

#[cfg(test)]
mod tests {
    use colonnade_testing::replay_corpus;

    #[test]
    fn range_corpus_passes() {
        replay_corpus("range", super::range);
    }
}
