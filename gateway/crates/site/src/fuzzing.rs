//! Fuzz targets: each accepts any bytes, and panics if an invariant of a parser does not hold.

use colonnade_web::fuzzing::header_lines;
use http::header::RANGE;

use crate::{asset, signup};

/// `Range` headers, one per line.
pub fn range(bytes: &[u8]) {
    asset::fuzz::range(&header_lines(&RANGE, bytes));
}

/// The body of a sign-up, parsed as JSON and as a form.
pub fn signup_body(bytes: &[u8]) {
    signup::fuzz::body(bytes);
}

#[cfg(test)]
mod tests {
    use colonnade_testing::replay_corpus;

    #[test]
    fn range_corpus_passes() {
        replay_corpus("range", super::range);
    }

    #[test]
    fn signup_body_corpus_passes() {
        replay_corpus("signup_body", super::signup_body);
    }
}
