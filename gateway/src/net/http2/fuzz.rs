//! What must hold of how frames are followed, whatever comes.

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

use super::{Http2, PREFACE, builder};
use crate::config::Limits;
use crate::net::tap::{Observer as _, Tap};
use crate::net::watch::Watch;

/// So few that a few frames reach them.
const CONTROL_FRAMES: u32 = 10;
const RESETS: u32 = 5;

/// The first byte says how large the pieces are in which things are heard, and the second how much of the rest the gateway
/// has said before, which may be any frames, too.
///
/// However the bytes come, the outcome is the same. It is what somebody finds who reads them all at once: a connection
/// ends with the first frame that carries nothing, or takes a request back, beyond what there may be, and the answers
/// that have begun are those that were begun and neither ended nor taken back. hyper sees no request but one of each stream
/// that was begun before that end.
pub(crate) fn frames(bytes: &[u8]) {
    let [size, said, rest @ ..] = bytes else {
        return;
    };
    let (said, heard) = rest.split_at(rest.len().min(usize::from(*said)));
    let heard = [PREFACE, heard].concat();
    let expected = read_at_once(said, &heard, 0).outcome;
    assert_eq!(followed(said, &heard, heard.len()), expected);
    assert_eq!(
        followed(said, &heard, usize::from(*size) + 1),
        expected,
        "in pieces"
    );
    let seen = seen_by_hyper(&heard, usize::from(*size) + 1);
    // What hyper answers lets windows be opened.
    let asked = read_at_once(OWN_SETTINGS, &heard, u64::MAX / 2).asked.len();
    assert!(seen <= asked, "hyper sees {seen} requests of {asked} streams");
}

/// The one frame that hyper sends and that is to be answered, whatever it hears (RFC 9113, 3.4).
const OWN_SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

/// What is known once everything was heard; `None` if the connection was ended before.
type Outcome = Option<Known>;

#[derive(Debug, PartialEq, Eq)]
struct Known {
    begun: HashSet<u32>,
    owed: u32,
    in_head: bool,
}

fn limits() -> Limits {
    Limits {
        control_frames: CONTROL_FRAMES,
        resets: RESETS,
        ..Limits::default()
    }
}

fn followed(said: &[u8], heard: &[u8], piece: usize) -> Outcome {
    let (watch, _lasting) = Watch::new(limits(), Arc::default());
    let mut http2 = Http2::new(watch);
    for piece in said.chunks(piece) {
        http2.wrote(piece);
    }
    for piece in heard.chunks(piece) {
        http2.read(piece).ok()?;
    }
    Some(Known {
        in_head: http2.received.in_head(),
        begun: http2.begun,
        owed: http2.owed,
    })
}

/// A frame as RFC 9113 says it (4.1), of which all may have come or not.
struct Plain<'a> {
    kind: u8,
    flags: u8,
    stream: u32,
    length: usize,
    /// As much of it as there is.
    payload: &'a [u8],
}

impl<'a> Plain<'a> {
    fn all(mut bytes: &'a [u8]) -> Vec<Self> {
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
        // Of padded DATA more must be there until it is known what it is.
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

    /// Whether it is DATA with nothing in it but padding.
    fn is_empty(&self) -> bool {
        let padding = match self.payload.first() {
            Some(padding) if self.is_padded() => 1 + usize::from(*padding),
            _ => 0,
        };
        self.kind == 0 && self.length <= padding
    }
}

/// What somebody finds who reads all frames at once.
struct Read {
    /// The streams of the client (RFC 9113, 5.1.1) with a head before the connection was ended: what comes on one after
    /// that are its trailers.
    asked: HashSet<u32>,
    outcome: Outcome,
}

/// `sent_since` is how many bytes were sent besides, for which windows may be opened.
fn read_at_once(said: &[u8], heard: &[u8], mut sent_since: u64) -> Read {
    let (mut begun, mut owed) = (HashSet::new(), 0);
    for frame in Plain::all(said) {
        sent_since += match frame.kind {
            0 => frame.length as u64,
            1 => 512,
            _ => 0,
        };
        match frame.kind {
            0 | 1 if !frame.has(1) => drop(begun.insert(frame.stream)),
            0 | 1 | 3 => drop(begun.remove(&frame.stream)),
            4 | 6 if !frame.has(1) => owed += 1,
            _ => {}
        }
    }
    let (mut control, mut resets, mut asked) = (0, 0, HashSet::new());
    let frames = Plain::all(&heard[PREFACE.len()..]);
    for frame in &frames {
        match frame.kind {
            4 | 6 if frame.has(1) && owed > 0 => owed -= 1,
            0 if frame.is_empty() && !frame.has(1) => control += 1,
            3 => {
                resets += 1;
                begun.remove(&frame.stream);
            }
            1 if frame.stream % 2 == 1 => drop(asked.insert(frame.stream)),
            8 if sent_since >= 256 => sent_since -= 256,
            0 | 1 | 9 => {}
            _ => control += 1,
        }
        if control > CONTROL_FRAMES || resets > RESETS {
            return Read { asked, outcome: None };
        }
    }
    let is_open = |last: &Plain<'_>| !last.has(4) || last.payload.len() < last.length;
    let in_head = frames
        .last()
        .is_some_and(|last| matches!(last.kind, 1 | 9) && is_open(last));
    Read {
        asked,
        outcome: Some(Known { begun, owed, in_head }),
    }
}

/// How many requests hyper hands on, of what it is let hear.
fn seen_by_hyper(heard: &[u8], piece: usize) -> usize {
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
        // No larger than a piece: or all of them would be read at once.
        let (client, server) = duplex(piece);
        let (mut reader, mut writer) = split(client);
        let (watch, _lasting) = Watch::new(limits(), Arc::default());
        let io = TokioIo::new(Tap::new(server, Http2::new(watch)));
        let mut answers = Vec::new();
        let (_, (), _) = tokio::join!(
            builder(&limits()).serve_connection(io, service),
            async {
                for piece in heard.chunks(piece) {
                    // Who is refused is heard no further.
                    let _ = writer.write_all(piece).await;
                }
                // Who hangs up at once is not heard: hyper first has its turns, on this one thread.
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                let _ = writer.shutdown().await;
            },
            reader.read_to_end(&mut answers),
        );
    });
    seen.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Just, any, prop_oneof, proptest};
    use proptest::sample::select;

    use super::{CONTROL_FRAMES, OWN_SETTINGS, PREFACE, frames, read_at_once, seen_by_hyper};
    use crate::testing::cases;

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
    fn a_request_is_one_whatever_follows_and_behind_the_end_is_none() {
        let with_trailers = [frame(1, 4, 1, GET), frame(1, 5, 1, TRAILERS)].concat();
        let unknown = frame(11, 0, 0, &[]).repeat(usize::try_from(CONTROL_FRAMES).unwrap() + 1);
        let behind = frame(1, 5, 3, GET);
        for (rest, expected) in [
            (vec![&behind[..]], 2),
            (vec![&unknown, &behind], 1),
            (vec![&unknown[9..], &behind], 2),
        ] {
            let heard = [&[PREFACE, &with_trailers[..]], &rest[..]].concat().concat();
            assert_eq!(read_at_once(OWN_SETTINGS, &heard, 0).asked.len(), expected);
            assert_eq!(seen_by_hyper(&heard, 1), expected);
            frames(&[&[0, 0], &heard[PREFACE.len()..]].concat());
        }
    }

    #[test]
    fn hyper_sees_the_requests_of_the_corpus() {
        let seed = include_bytes!("../../../../fuzz/corpus/http2_frames/continuation");
        for piece in [1, 1000] {
            assert_eq!(seen_by_hyper(&[PREFACE, &seed[2..]].concat(), piece), 1);
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn frames_are_followed_as_they_are(
            size in any::<u8>(),
            said in prop_oneof![0_u8..40, any::<u8>()],
            written in vec((
                prop_oneof![0_u8..11, select(vec![0_u8, 3, 6, 8])],
                select(vec![0_u8, 1, 4, 5, 8, 9]),
                0_u8..6,
                prop_oneof![3 => vec(0_u8..5, 0..6), 1 => Just(GET.to_vec())],
            ), 0..30),
            cut in 0_usize..4,
        ) {
            let mut bytes = vec![size, said];
            for (kind, flags, stream, payload) in &written {
                bytes.extend(frame(*kind, *flags, *stream, payload));
            }
            bytes.truncate(bytes.len().saturating_sub(cut));
            frames(&bytes);
        }

        #[test]
        fn any_bytes_are_followed_in_pieces_as_at_once(bytes in vec(any::<u8>(), 0..200)) {
            frames(&bytes);
        }
    }
}
