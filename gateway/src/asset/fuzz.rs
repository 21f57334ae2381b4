//! What must hold of ranges, whatever is asked for.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::HeaderMap;
use http_body::Body as _;

use super::ranges::{MAX_RANGES, Selection, content_range, multipart, select};

/// The parts of a file lie in it, and are few and apart.
pub(crate) fn range(request: &HeaderMap) {
    for length in [0, 1, 2, 100, 1_000_000, usize::MAX] {
        let Selection::Parts(parts) = select(request, length) else {
            continue;
        };
        assert!((1..=MAX_RANGES).contains(&parts.len()), "{parts:?}");
        assert!(
            parts
                .iter()
                .all(|part| part.start < part.end && part.end <= length),
            "{parts:?} of {length}"
        );
        if parts.len() > 1 {
            // At most eight, so that all pairs are few, and nothing of the code in question is needed.
            let pairs = parts
                .iter()
                .enumerate()
                .flat_map(|(at, one)| parts[at + 1..].iter().map(move |two| (one, two)));
            let apart = |(one, two): (&std::ops::Range<usize>, &std::ops::Range<usize>)| {
                one.end <= two.start || two.end <= one.start
            };
            assert!(pairs.into_iter().all(apart), "{parts:?} of {length}");
        }
        if length <= 100 {
            assemble(&parts, length);
        }
    }
}

/// What is put together of parts is what is asked for, each under a head that says which it is.
fn assemble(parts: &[std::ops::Range<usize>], length: usize) {
    let bytes: Bytes = (0..length)
        .map(|at| u8::try_from(at % 256).unwrap_or(0))
        .collect();
    let mut content = multipart(&bytes, parts, "text/plain", "limit");
    let mut body = Vec::new();
    let mut cx = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut content).poll_frame(&mut cx) {
        body.extend_from_slice(&frame.into_data().unwrap_or_default());
    }
    let mut rest = &body[..];
    for part in parts {
        let range = content_range(part, length);
        let head = format!("\r\n--limit\r\nContent-Type: text/plain\r\nContent-Range: {range}\r\n\r\n");
        rest = rest
            .strip_prefix(head.as_bytes())
            .expect("a part begins with its head");
        rest = rest
            .strip_prefix(&bytes[part.clone()])
            .expect("a part is the bytes that it names");
    }
    assert_eq!(rest, b"\r\n--limit--\r\n");
}
