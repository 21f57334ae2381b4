//! The frames in a stream of bytes (RFC 9113, 4.1): their heads alone, how much of DATA is padding, and by how much a
//! `WINDOW_UPDATE` opens a window.

/// What every HTTP/2 client says first (RFC 9113, 3.4).
pub(in crate::net) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const HEAD: usize = 9;

/// A head and the most of what follows it that is looked at.
const LONGEST: usize = HEAD + INCREMENT;

/// The length of the padding, which DATA may begin with (RFC 9113, 6.1).
const PADDING: usize = 1;

/// All of a `WINDOW_UPDATE` (RFC 9113, 6.9).
const INCREMENT: usize = 4;

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
    /// By how much it opens a window; for `WINDOW_UPDATE`, and 0 for one that is none.
    pub(super) increment: u32,
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
            increment: 0,
        }
    }

    /// How many bytes behind the head are looked at.
    fn looked_at(self) -> usize {
        match self.kind {
            Kind::Data if self.flags & 8 != 0 && self.length > 0 => PADDING,
            // One of another length is none, and ends the connection.
            Kind::WindowUpdate if self.length == INCREMENT => INCREMENT,
            _ => 0,
        }
    }

    /// Takes in what these bytes say.
    fn look_at(&mut self, bytes: [u8; INCREMENT]) {
        match self.kind {
            Kind::Data => self.padding = PADDING + usize::from(bytes[0]),
            // The first bit says nothing.
            _ => self.increment = u32::from_be_bytes(bytes) & 0x7fff_ffff,
        }
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

    /// Calls `on` with each frame whose head ends in these bytes; where more of it is looked at, once that is there.
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

    /// The frame that begins with what there is, unless more belongs to that.
    fn end_head(&mut self) -> Option<Frame> {
        let [head @ .., a, b, c, d] = self.head;
        let mut frame = Frame::parse(head);
        let looked_at = frame.looked_at();
        if self.wanted < HEAD + looked_at {
            self.wanted = HEAD + looked_at;
            return None;
        }
        if looked_at > 0 {
            frame.look_at([a, b, c, d]);
        }
        self.left = frame.length - looked_at;
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

    #[test]
    fn a_window_says_by_how_much_it_opens_however_the_bytes_come() {
        for (bytes, expected) in [
            (&b"\0\0\x04\x08\0\0\0\0\x01\0\0\x01\x02"[..], 0x102),
            (b"\0\0\x04\x08\0\0\0\0\0\xff\xff\xff\xff", 0x7fff_ffff),
            (b"\0\0\x04\x08\0\0\0\0\0\0\0\0\0", 0),
            // No WINDOW_UPDATE, and no other frame that looks like one.
            (b"\0\0\x05\x08\0\0\0\0\0\0\0\0\x01\0", 0),
            (b"\0\0\x04\x03\0\0\0\0\x01\0\0\0\x08", 0),
        ] {
            // Behind it comes another.
            let bytes = [bytes, &b"\0\0\0\0\x01\0\0\0\x03"[..]].concat();
            for size in 1..=bytes.len() {
                let (frames, _) = found(bytes.chunks(size));
                assert_eq!(frames.len(), 2, "{bytes:?}");
                assert_eq!(
                    (frames[0].increment, frames[1].stream),
                    (expected, 3),
                    "{bytes:?}"
                );
            }
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
