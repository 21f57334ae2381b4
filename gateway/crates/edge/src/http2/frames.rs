//! Parses the headers of HTTP/2 frames (RFC 9113, section 4.1), and the padding length of DATA
//! frames.

/// The connection preface of a client (RFC 9113, section 3.4).
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The length of a frame header.
const HEADER: usize = 9;

/// The length of a frame header and the padding length of DATA (RFC 9113, section 6.1).
const PADDED_HEADER: usize = HEADER + 1;

/// The type of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    Headers,
    Priority,
    RstStream,
    Settings,
    Ping,
    GoAway,
    WindowUpdate,
    Continuation,
    /// Every other type.
    Unknown,
}

/// The header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    flags: u8,
    pub(super) stream: u32,
    /// The length of the payload, in bytes.
    pub(super) length: usize,
    /// The length of the padding of DATA, including its length field.
    padding: usize,
}

impl Frame {
    fn parse(header: [u8; HEADER]) -> Self {
        let [a, b, c, kind, flags, stream @ ..] = header;
        let kind = match kind {
            0 => Kind::Data,
            1 => Kind::Headers,
            2 => Kind::Priority,
            3 => Kind::RstStream,
            4 => Kind::Settings,
            6 => Kind::Ping,
            7 => Kind::GoAway,
            8 => Kind::WindowUpdate,
            9 => Kind::Continuation,
            // Includes PUSH_PROMISE (5), which clients must not send.
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

    /// Returns whether the payload begins with a padding length.
    fn is_padded(self) -> bool {
        self.kind == Kind::Data && self.flags & 8 != 0 && self.length > 0
    }

    /// Returns whether a DATA frame has no data.
    pub(super) fn is_empty(self) -> bool {
        self.length <= self.padding
    }

    /// Returns whether a DATA or HEADERS frame has the flag `END_STREAM`.
    pub(super) fn ends_stream(self) -> bool {
        self.flags & 1 != 0
    }

    /// Returns whether a PING or SETTINGS frame has the flag ACK.
    pub(super) fn is_ack(self) -> bool {
        self.flags & 1 != 0
    }

    fn ends_headers(self) -> bool {
        self.flags & 4 != 0
    }
}

/// A parser of frame headers.
#[derive(Debug)]
pub(super) struct FrameParser {
    /// The number of bytes to skip before the next header.
    payload_remaining: usize,
    header: [u8; PADDED_HEADER],
    /// The number of bytes in `header`.
    header_read: usize,
    /// The number of bytes that `header` needs.
    header_len: usize,
    last: Option<Frame>,
}

impl FrameParser {
    /// Creates a parser of the frames after this many other bytes.
    pub(super) fn after(bytes: usize) -> Self {
        Self {
            payload_remaining: bytes,
            header: [0; PADDED_HEADER],
            header_read: 0,
            header_len: HEADER,
            last: None,
        }
    }

    /// Parses bytes. Calls `on_frame` with each frame whose header, and padding length if it has
    /// one, is complete.
    pub(super) fn feed(&mut self, mut bytes: &[u8], mut on_frame: impl FnMut(Frame)) {
        while !bytes.is_empty() {
            let skipped = self.payload_remaining.min(bytes.len());
            self.payload_remaining -= skipped;
            bytes = &bytes[skipped..];
            let count = (self.header_len - self.header_read).min(bytes.len());
            self.header[self.header_read..self.header_read + count].copy_from_slice(&bytes[..count]);
            self.header_read += count;
            bytes = &bytes[count..];
            if self.header_read == self.header_len
                && let Some(frame) = self.end_header()
            {
                on_frame(frame);
            }
        }
    }

    /// Returns the frame, unless its padding length is missing.
    fn end_header(&mut self) -> Option<Frame> {
        let [header @ .., padding] = self.header;
        let mut frame = Frame::parse(header);
        if frame.is_padded() && self.header_len == HEADER {
            self.header_len = PADDED_HEADER;
            return None;
        }
        if frame.is_padded() {
            frame.padding = 1 + usize::from(padding);
        }
        self.payload_remaining = frame.length - (self.header_len - HEADER);
        self.header_read = 0;
        self.header_len = HEADER;
        self.last = Some(frame);
        Some(frame)
    }

    /// Returns whether there was a frame.
    pub(super) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// Returns whether a field block, in HEADERS and CONTINUATION, is in progress.
    pub(super) fn in_field_block(&self) -> bool {
        self.last.is_some_and(|frame| match frame.kind {
            Kind::Headers | Kind::Continuation => self.payload_remaining > 0 || !frame.ends_headers(),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Just, any, prop_oneof, proptest};

    use super::{Frame, FrameParser, Kind, PREFACE};
    use colonnade_testing::cases;

    /// Returns the frames in these pieces, and whether a field block is open at the end.
    fn parse<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Frame>, bool) {
        let mut frames = FrameParser::after(0);
        let mut parsed = Vec::new();
        for piece in pieces {
            frames.feed(piece, |frame| parsed.push(frame));
        }
        (parsed, frames.in_field_block())
    }

    #[test]
    fn frames_are_independent_of_read_sizes() {
        let mut bytes = PREFACE.to_vec();
        bytes.extend(b"\0\0\0\x04\0\0\0\0\0");
        bytes.extend(b"\0\0\x02\x01\x05\0\0\0\x01ab");
        bytes.extend(b"\0\0\0\0\x01\x80\0\0\x03");
        for size in 1..=bytes.len() {
            let mut frames = FrameParser::after(PREFACE.len());
            let mut parsed = Vec::new();
            for piece in bytes.chunks(size) {
                frames.feed(piece, |frame| {
                    parsed.push((frame.kind, frame.stream, frame.length));
                });
            }
            assert_eq!(
                parsed,
                [(Kind::Settings, 0, 0), (Kind::Headers, 1, 2), (Kind::Data, 3, 0)]
            );
        }
    }

    #[test]
    fn field_block_ends_with_its_last_byte() {
        let mut frames = FrameParser::after(0);
        for (bytes, expected) in [
            (&b"\0\0\x02\x01\0\0\0\0\x01"[..], true),
            (b"ab", true),
            (b"\0\0\x02\x09\x04\0\0\0\x01", true),
            (b"a", true),
            (b"b", false),
        ] {
            frames.feed(bytes, |_| {});
            assert_eq!(frames.in_field_block(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn data_frame_with_only_padding_is_empty() {
        for (bytes, expected) in [
            (&b"\0\0\0\0\x08\0\0\0\x01"[..], true),
            (b"\0\0\x01\0\x08\0\0\0\x01\0", true),
            (b"\0\0\x03\0\x08\0\0\0\x01\x02\0\0", true),
            (b"\0\0\x03\0\x08\0\0\0\x01\x01a\0", false),
            (b"\0\0\x03\0\0\0\0\0\x01\x02\0\0", false),
        ] {
            let (frames, _) = parse(bytes.chunks(1));
            assert_eq!(frames.len(), 1, "{bytes:?}");
            assert_eq!(frames[0].is_empty(), expected, "{bytes:?}");
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn frames_are_parsed_as_written(
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
            let (parsed, _) = parse(bytes.chunks(size));
            let of = |frame: &Frame| (frame.flags, frame.stream, frame.length);
            let expected = written.iter().map(|(_, flags, stream, length)| {
                (*flags, stream & 0x7fff_ffff, usize::from(*length))
            });
            assert!(parsed.iter().map(of).eq(expected));
        }

        #[test]
        fn any_bytes_are_independent_of_read_sizes(bytes in vec(prop_oneof![2 => Just(0), 1 => any::<u8>()], 0..300), size in 1_usize..50) {
            assert_eq!(parse(bytes.chunks(size)), parse(std::iter::once(&bytes[..])));
        }
    }
}
