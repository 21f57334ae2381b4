//! Fuzz targets: each takes any bytes and panics if an invariant is violated.

pub use crate::http2::fuzz::frames as http2_frames;
pub use crate::proxy::fuzz::proxy_header;

#[cfg(test)]
mod tests {
    use colonnade_testing::replay_corpus;

    #[test]
    fn http2_frames_corpus_passes() {
        replay_corpus("http2_frames", super::http2_frames);
    }

    #[test]
    fn proxy_header_corpus_passes() {
        replay_corpus("proxy_header", super::proxy_header);
    }
}
