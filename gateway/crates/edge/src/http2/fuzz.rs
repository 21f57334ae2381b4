//! The fuzz target of the HTTP/2 inspector.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex, split};

use crate::Limits;
use crate::http2::{Http2Inspector, PREFACE, WithStreams, builder};
use crate::io::{InspectedStream, Inspector as _};
use crate::new_streams::NewStreams;
use crate::state::ConnectionState;

/// Low limits, so that a few frames reach them.
const CONTROL_FRAMES: u32 = 10;
const RESETS: u32 = 5;

/// Inspects any frames. The first byte sets the size of the reads, and the second how many of the
/// other bytes the gateway has sent before.
///
/// # Panics
///
/// - The outcome depends on the size of the reads.
/// - The outcome differs from that of a simple parser that reads all bytes at once: the connection
///   is closed by the first control frame or stream reset above its limit, and the open responses
///   are those that neither ended nor were reset.
/// - hyper sees more requests than streams were opened before the close.
pub fn frames(bytes: &[u8]) {
    let [size, sent_len, rest @ ..] = bytes else {
        return;
    };
    let (sent, received) = rest.split_at(rest.len().min(usize::from(*sent_len)));
    let received = [PREFACE, received].concat();
    let expected = reference(sent, &received, 0).outcome;
    assert_eq!(inspect(sent, &received, received.len()), expected);
    assert_eq!(
        inspect(sent, &received, usize::from(*size) + 1),
        expected,
        "in pieces"
    );
    let seen = count_hyper_requests(&received, usize::from(*size) + 1);
    // hyper's responses allow many WINDOW_UPDATE frames.
    let streams = reference(HYPER_SETTINGS, &received, u64::MAX / 2).streams.len();
    assert!(seen <= streams, "hyper sees {seen} requests of {streams} streams");
}

/// The SETTINGS frame that hyper always sends (RFC 9113, section 3.4), to be acknowledged.
const HYPER_SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

/// The state after all bytes; `None` if the connection was closed before.
type Outcome = Option<FinalState>;

#[derive(Debug, PartialEq, Eq)]
struct FinalState {
    open_responses: HashSet<u32>,
    pending_acks: u32,
    in_field_block: bool,
}

fn limits() -> Limits {
    Limits {
        http2_max_control_frames_per_minute: CONTROL_FRAMES,
        http2_max_resets_per_minute: RESETS,
        ..Limits::default()
    }
}

fn inspect(sent: &[u8], received: &[u8], piece: usize) -> Outcome {
    let state = ConnectionState::new(limits());
    let mut inspector = Http2Inspector::new(state.clone());
    for piece in sent.chunks(piece) {
        inspector.sent(piece);
    }
    for piece in received.chunks(piece) {
        inspector.received(piece).ok()?;
    }
    Some(FinalState {
        in_field_block: inspector.received.in_field_block(),
        open_responses: state.open_responses(),
        pending_acks: inspector.pending_acks,
    })
}

/// A frame (RFC 9113, section 4.1), possibly incomplete.
struct PlainFrame<'a> {
    kind: u8,
    flags: u8,
    stream: u32,
    length: usize,
    /// The received part of the payload.
    payload: &'a [u8],
}

impl<'a> PlainFrame<'a> {
    fn parse_all(mut bytes: &'a [u8]) -> Vec<Self> {
        let mut frames = Vec::new();
        while let [a, b, c, kind, flags, d, e, f, g, rest @ ..] = bytes {
            let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
            let (payload, next) = rest.split_at(length.min(rest.len()));
            frames.push(Self {
                kind: *kind,
                flags: *flags,
                stream: u32::from_be_bytes([*d & 0x7f, *e, *f, *g]),
                length,
                payload,
            });
            bytes = next;
        }
        // A padded DATA frame without its padding length is incomplete.
        if frames
            .last()
            .is_some_and(|last| last.is_padded() && last.payload.is_empty())
        {
            frames.pop();
        }
        frames
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn is_padded(&self) -> bool {
        self.kind == 0 && self.has(8) && self.length > 0
    }

    /// Returns whether it is DATA without data.
    fn is_empty(&self) -> bool {
        let padding = match self.payload.first() {
            Some(padding) if self.is_padded() => 1 + usize::from(*padding),
            _ => 0,
        };
        self.kind == 0 && self.length <= padding
    }
}

/// The result of [`reference`].
struct Reference {
    /// The streams that the client opened (RFC 9113, section 5.1.1) before the connection was
    /// closed. Later HEADERS of a stream are its trailers.
    streams: HashSet<u32>,
    outcome: Outcome,
}

/// A simple parser that reads all frames at once. `window_update_bytes` adds to the bytes for which
/// `WINDOW_UPDATE` frames are allowed.
fn reference(sent: &[u8], received: &[u8], mut window_update_bytes: u64) -> Reference {
    let (mut open_responses, mut pending_acks) = (HashSet::new(), 0);
    for frame in PlainFrame::parse_all(sent) {
        window_update_bytes += match frame.kind {
            0 => frame.length as u64,
            1 => 512,
            _ => 0,
        };
        match frame.kind {
            0 | 1 if !frame.has(1) => drop(open_responses.insert(frame.stream)),
            0 | 1 | 3 => drop(open_responses.remove(&frame.stream)),
            4 | 6 if !frame.has(1) => pending_acks += 1,
            _ => {}
        }
    }
    let (mut control, mut resets, mut streams) = (0, 0, HashSet::new());
    let frames = PlainFrame::parse_all(&received[PREFACE.len()..]);
    for frame in &frames {
        match frame.kind {
            4 | 6 if frame.has(1) && pending_acks > 0 => pending_acks -= 1,
            0 if frame.is_empty() && !frame.has(1) => control += 1,
            3 => {
                resets += 1;
                open_responses.remove(&frame.stream);
            }
            1 if frame.stream % 2 == 1 => drop(streams.insert(frame.stream)),
            8 if window_update_bytes >= 256 => window_update_bytes -= 256,
            0 | 1 | 9 => {}
            _ => control += 1,
        }
        if control > CONTROL_FRAMES || resets > RESETS {
            return Reference {
                streams,
                outcome: None,
            };
        }
    }
    let is_incomplete = |last: &PlainFrame<'_>| !last.has(4) || last.payload.len() < last.length;
    let in_field_block = frames
        .last()
        .is_some_and(|last| matches!(last.kind, 1 | 9) && is_incomplete(last));
    Reference {
        streams,
        outcome: Some(FinalState {
            open_responses,
            pending_acks,
            in_field_block,
        }),
    }
}

/// Returns the number of requests that hyper reads through the inspector.
fn count_hyper_requests(received: &[u8], piece: usize) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime");
    let seen = Arc::new(AtomicUsize::new(0));
    let service = service_fn(|_: Request<Incoming>| {
        seen.fetch_add(1, Ordering::Relaxed);
        std::future::ready(Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new())))
    });
    runtime.block_on(async {
        // The buffer has the size of a piece, so that the inspector reads the pieces separately.
        let (client, server) = duplex(piece);
        let (mut reader, mut writer) = split(client);
        let state = ConnectionState::new(limits());
        let io = TokioIo::new(InspectedStream::new(server, Http2Inspector::new(state.clone())));
        let streams = NewStreams::default();
        let connection = builder(&limits(), streams.executor()).serve_connection(io, service);
        let mut responses = Vec::new();
        let (_, (), _) = tokio::join!(
            WithStreams::new(connection, streams, state),
            async {
                for piece in received.chunks(piece) {
                    // Fails once hyper has closed the connection.
                    let _ = writer.write_all(piece).await;
                }
                // Lets hyper, on the same thread, read everything before the end of the stream.
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                let _ = writer.shutdown().await;
            },
            reader.read_to_end(&mut responses),
        );
    });
    seen.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Just, any, prop_oneof, proptest};
    use proptest::sample::select;

    use super::{CONTROL_FRAMES, HYPER_SETTINGS, PREFACE, count_hyper_requests, frames, reference};
    use colonnade_testing::cases;

    /// `:method: GET`, `:scheme: http`, `:path: /` and `:authority: a` (RFC 7541, appendix A).
    const GET: &[u8] = &[0x82, 0x86, 0x84, 0x41, 1, b'a'];

    /// `x: y`, as trailers.
    const TRAILERS: &[u8] = &[0, 1, b'x', 1, b'y'];

    fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
        let length = u8::try_from(payload.len()).unwrap();
        let head = [0, 0, length, kind, flags, 0, 0, 0, stream];
        [&head, payload].concat()
    }

    #[test]
    fn hyper_sees_no_request_after_close() {
        let with_trailers = [frame(1, 4, 1, GET), frame(1, 5, 1, TRAILERS)].concat();
        let unknown = frame(11, 0, 0, &[]).repeat(usize::try_from(CONTROL_FRAMES).unwrap() + 1);
        let next = frame(1, 5, 3, GET);
        for (rest, expected) in [
            (vec![&next[..]], 2),
            (vec![&unknown, &next], 1),
            (vec![&unknown[9..], &next], 2),
        ] {
            let received = [&[PREFACE, &with_trailers[..]], &rest[..]].concat().concat();
            assert_eq!(reference(HYPER_SETTINGS, &received, 0).streams.len(), expected);
            assert_eq!(count_hyper_requests(&received, 1), expected);
            frames(&[&[0, 0], &received[PREFACE.len()..]].concat());
        }
    }

    #[test]
    fn hyper_sees_the_requests_of_the_corpus() {
        let seed = include_bytes!("../../../../../fuzz/corpus/http2_frames/continuation");
        for piece in [1, 1000] {
            assert_eq!(count_hyper_requests(&[PREFACE, &seed[2..]].concat(), piece), 1);
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn inspector_matches_reference(
            size in any::<u8>(),
            sent_len in prop_oneof![0_u8..40, any::<u8>()],
            written in vec((
                prop_oneof![0_u8..11, select(vec![0_u8, 3, 6, 8])],
                select(vec![0_u8, 1, 4, 5, 8, 9]),
                0_u8..6,
                prop_oneof![3 => vec(0_u8..5, 0..6), 1 => Just(GET.to_vec())],
            ), 0..30),
            cut in 0_usize..4,
        ) {
            let mut bytes = vec![size, sent_len];
            for (kind, flags, stream, payload) in &written {
                bytes.extend(frame(*kind, *flags, *stream, payload));
            }
            bytes.truncate(bytes.len().saturating_sub(cut));
            frames(&bytes);
        }

        #[test]
        fn inspector_accepts_any_bytes(bytes in vec(any::<u8>(), 0..200)) {
            frames(&bytes);
        }
    }
}
