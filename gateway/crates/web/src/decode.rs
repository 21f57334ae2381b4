//! Decoding content codings, the inverse of [`encode`](crate::encode).

use std::io::{self, Read};

use flate2::read::GzDecoder;

use crate::content_negotiation::Coding;

/// The buffer of the Brotli decoder in bytes.
const BUFFER_BYTES: usize = 16 * 1024;

/// A reader of the decoded bytes. Limit what is read from it: few bytes can decode to many.
pub fn decoder<'a>(bytes: &'a [u8], coding: Coding) -> io::Result<Box<dyn Read + 'a>> {
    Ok(match coding {
        Coding::Identity => Box::new(bytes),
        Coding::Gzip => Box::new(GzDecoder::new(bytes)),
        Coding::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(bytes)?),
        Coding::Br => Box::new(brotli::Decompressor::new(bytes, BUFFER_BYTES)),
    })
}
