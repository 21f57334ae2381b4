//! Fuzz targets: each accepts any bytes and panics if an invariant of a parser is violated.

use colonnade_web::fuzzing::header_lines;
use http::header::COOKIE;

use crate::{preview, publish, rollout};

/// `Cookie` headers, one per line: the gateway's own, forged ones and others.
pub fn cookies(bytes: &[u8]) {
    let sent = header_lines(&COOKIE, bytes);
    colonnade_web::cookie::fuzz(&sent);
    rollout::fuzz(&sent);
    preview::fuzz::cookie(&sent);
}

/// A release archive: a tar, gzipped or not.
pub fn tar(bytes: &[u8]) {
    publish::fuzz::tar(bytes);
}

#[cfg(test)]
mod tests {
    use colonnade_testing::replay_corpus;

    #[test]
    fn cookies_corpus_passes() {
        replay_corpus("cookies", super::cookies);
    }

    #[test]
    fn tar_corpus_passes() {
        replay_corpus("tar", super::tar);
    }
}
