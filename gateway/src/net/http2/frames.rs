//! The frames in a stream of bytes (RFC 9113, 4.1): their heads alone, and how much of DATA is padding.

/// What every HTTP/2 client says first (RFC 9113, 3.4).
pub(in crate::net) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const HEAD: usize = 9;

/// A head and the length of the padding, which DATA may begin with (RFC 9113, 6.1).
const LONGEST: usize = HEAD + 1;

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    Headers,
    Priority,
    Reset,
    Settings,
    Ping,
    GoAway,
    WindowUpdate,
    Continuation,
    Unknown,
}

/// What a frame begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    flags: u8,
    pub(super) stream: u32,
    /// Of what follows the head, in bytes.
    pub(super) length: usize,
    /// How much of that is padding, with its own length; for DATA.
    padding: usize,
}

impl Frame {
    fn parse(head: [u8; HEAD]) -> Self {
        let [a, b, c, kind, flags, stream @ ..] = head;
        let kind = match kind {
            0 => Kind::Data,
            1 => Kind::Headers,
            2 => Kind::Priority,
            3 => Kind::Reset,
            4 => Kind::Settings,
            6 => Kind::Ping,
            7 => Kind::GoAway,
            8 => Kind::WindowUpdate,
            9 => Kind::Continuation,
            // A PUSH_PROMISE (5) is no client's to send.
            _ => Kind::Unknown,
        };
        Self {
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & 0x7fff_ffff,
            length: u32::from_be_bytes([0, a, b, c]) as usize,
            padding: 0,
        }
    }

    /// Whether the byte behind the head says how much padding there is.
    fn is_padded(self) -> bool {
        self.kind == Kind::Data && self.flags & 8 != 0 && self.length > 0
    }

    /// Whether there is nothing in it; for DATA.
    pub(super) fn is_empty(self) -> bool {
        self.length <= self.padding
    }

    /// Whether it is the last of its stream; for DATA and HEADERS.
    pub(super) fn ends_stream(self) -> bool {
        self.flags & 1 != 0
    }

    /// Whether it answers one of the other side; for PING and SETTINGS.
    pub(super) fn is_acknowledgement(self) -> bool {
        self.flags & 1 != 0
    }

    fn ends_head(self) -> bool {
        self.flags & 4 != 0
    }
}

/// Finds the frames.
#[derive(Debug)]
pub(super) struct Frames {
    /// The bytes to pass before the next head.
    left: usize,
    head: [u8; LONGEST],
    have: usize,
    /// As many bytes as there must be of `head`.
    wanted: usize,
    last: Option<Frame>,
}

impl Frames {
    /// The frames behind so many other bytes.
    pub(super) fn after(bytes: usize) -> Self {
        Self {
            left: bytes,
            head: [0; LONGEST],
            have: 0,
            wanted: HEAD,
            last: None,
        }
    }

    /// Calls `on` with each frame whose head ends in these bytes; where DATA is padded, once that is known.
    pub(super) fn take(&mut self, mut bytes: &[u8], mut on: impl FnMut(Frame)) {
        while !bytes.is_empty() {
            let passed = self.left.min(bytes.len());
            self.left -= passed;
            bytes = &bytes[passed..];
            let count = (self.wanted - self.have).min(bytes.len());
            self.head[self.have..self.have + count].copy_from_slice(&bytes[..count]);
            self.have += count;
            bytes = &bytes[count..];
            if self.have == self.wanted
                && let Some(frame) = self.end_head()
            {
                on(frame);
            }
        }
    }

    /// The frame that begins with what there is, unless a byte more belongs to that.
    fn end_head(&mut self) -> Option<Frame> {
        let [head @ .., padding] = self.head;
        let mut frame = Frame::parse(head);
        if frame.is_padded() && self.wanted == HEAD {
            self.wanted = LONGEST;
            return None;
        }
        if frame.is_padded() {
            frame.padding = 1 + usize::from(padding);
        }
        self.left = frame.length - (self.wanted - HEAD);
        self.have = 0;
        self.wanted = HEAD;
        self.last = Some(frame);
        Some(frame)
    }

    /// Whether there was a frame.
    pub(super) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// Whether the head of a request, in HEADERS and CONTINUATION, has begun and not ended.
    pub(super) fn in_head(&self) -> bool {
        self.last.is_some_and(|frame| match frame.kind {
            Kind::Headers | Kind::Continuation => self.left > 0 || !frame.ends_head(),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Just, any, prop_oneof, proptest};

    use super::{Frame, Frames, Kind, PREFACE};
    use crate::testing::cases;

    /// The frames that are found in bytes that come in pieces, and whether a head is open at the end.
    fn found<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Frame>, bool) {
        let mut frames = Frames::after(0);
        let mut found = Vec::new();
        for piece in pieces {
            frames.take(piece, |frame| found.push(frame));
        }
        (found, frames.in_head())
    }

    #[test]
    fn frames_are_found_however_the_bytes_come() {
        let mut bytes = PREFACE.to_vec();
        bytes.extend(b"\0\0\0\x04\0\0\0\0\0");
        bytes.extend(b"\0\0\x02\x01\x05\0\0\0\x01ab");
        bytes.extend(b"\0\0\0\0\x01\x80\0\0\x03");
        for size in 1..=bytes.len() {
            let mut frames = Frames::after(PREFACE.len());
            let mut found = Vec::new();
            for piece in bytes.chunks(size) {
                frames.take(piece, |frame| {
                    found.push((frame.kind, frame.stream, frame.length));
                });
            }
            assert_eq!(
                found,
                [(Kind::Settings, 0, 0), (Kind::Headers, 1, 2), (Kind::Data, 3, 0)]
            );
        }
    }

    #[test]
    fn a_head_lasts_until_its_last_byte() {
        let mut frames = Frames::after(0);
        for (bytes, expected) in [
            (&b"\0\0\x02\x01\0\0\0\0\x01"[..], true),
            (b"ab", true),
            (b"\0\0\x02\x09\x04\0\0\0\x01", true),
            (b"a", true),
            (b"b", false),
        ] {
            frames.take(bytes, |_| {});
            assert_eq!(frames.in_head(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn padding_is_nothing() {
        for (bytes, expected) in [
            (&b"\0\0\0\0\x08\0\0\0\x01"[..], true),
            (b"\0\0\x01\0\x08\0\0\0\x01\0", true),
            (b"\0\0\x03\0\x08\0\0\0\x01\x02\0\0", true),
            (b"\0\0\x03\0\x08\0\0\0\x01\x01a\0", false),
            (b"\0\0\x03\0\0\0\0\0\x01\x02\0\0", false),
        ] {
            let (frames, _) = found(bytes.chunks(1));
            assert_eq!(frames.len(), 1, "{bytes:?}");
            assert_eq!(frames[0].is_empty(), expected, "{bytes:?}");
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn frames_are_found_as_they_were_written(
            written in vec((any::<u8>(), any::<u8>(), any::<u32>(), 0_u16..300), 0..8),
            size in 1_usize..50,
        ) {
            let mut bytes = Vec::new();
            for (kind, flags, stream, length) in &written {
                let [high, low] = length.to_be_bytes();
                bytes.extend([0, high, low, *kind, *flags]);
                bytes.extend(stream.to_be_bytes());
                bytes.resize(bytes.len() + usize::from(*length), 0xff);
            }
            let (found, _) = found(bytes.chunks(size));
            let of = |frame: &Frame| (frame.flags, frame.stream, frame.length);
            let expected = written.iter().map(|(_, flags, stream, length)| {
                (*flags, stream & 0x7fff_ffff, usize::from(*length))
            });
            assert!(found.iter().map(of).eq(expected));
        }

        #[test]
        fn any_bytes_are_the_same_frames_in_pieces(bytes in vec(prop_oneof![2 => Just(0), 1 => any::<u8>()], 0..300), size in 1_usize..50) {
            assert_eq!(found(bytes.chunks(size)), found(std::iter::once(&bytes[..])));
        }
    }
}
