//! Where the frames of a WebSocket begin and end (RFC 6455, section 5.2).

/// The opcode of a Close frame.
const CLOSE: u8 = 8;

/// The length of the longest frame header: two bytes, a length and a mask.
const MAX_HEADER: usize = 2 + 8 + 4;

/// The frames in one direction.
#[derive(Debug, Default)]
pub(super) struct Frames {
    header: [u8; MAX_HEADER],
    /// The number of bytes in `header`.
    header_read: usize,
    /// The number of bytes of the payload that are missing.
    payload: u64,
    has_closed: bool,
}

impl Frames {
    /// Follows these bytes.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            if self.payload > 0 {
                let skipped = self.rest().min(bytes.len());
                self.payload -= skipped as u64;
                bytes = &bytes[skipped..];
                continue;
            }
            self.header[self.header_read] = byte;
            self.header_read += 1;
            bytes = rest;
            if self.header_read == self.header_length() {
                self.payload = self.payload_length();
                self.has_closed |= self.header[0] & 0xf == CLOSE;
                self.header_read = 0;
            }
        }
    }

    /// Returns the number of bytes that certainly belong to the current frame; zero between two.
    pub(super) fn rest(&self) -> usize {
        match self.payload {
            0 => usize::from(self.header_read > 0),
            payload => usize::try_from(payload).unwrap_or(usize::MAX),
        }
    }

    /// Returns whether there was a Close frame, after which nothing may follow.
    pub(super) fn has_closed(&self) -> bool {
        self.has_closed
    }

    fn header_length(&self) -> usize {
        if self.header_read < 2 {
            return 2;
        }
        let mask = if self.header[1] & 0x80 == 0 { 0 } else { 4 };
        2 + self.length_bytes() + mask
    }

    /// The number of bytes of the extended length.
    fn length_bytes(&self) -> usize {
        match self.header[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        }
    }

    fn payload_length(&self) -> u64 {
        let extended = &self.header[2..2 + self.length_bytes()];
        match extended {
            [] => u64::from(self.header[1] & 0x7f),
            bytes => bytes
                .iter()
                .fold(0, |length, byte| length << 8 | u64::from(*byte)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Frames;

    #[test]
    fn frames_end_with_their_last_byte_in_any_pieces() {
        let long = |head: &[u8], length: usize| [head, &vec![0x88; length]].concat();
        // Frames, and whether each one closes.
        let frames = [
            (long(&[0x81, 5], 5), false),
            (long(&[0xc2, 126, 1, 0], 256), false),
            (long(&[0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], 65_536), false),
            (long(&[0x81, 0x80, 1, 2, 3, 4], 0), false),
            (long(&[0x89, 0x83, 1, 2, 3, 4], 3), false),
            (long(&[0x88, 0x82, 1, 2, 3, 4], 2), true),
        ];
        for size in [1, 2, 3, 7, 1000] {
            let mut state = Frames::default();
            for (frame, closes) in &frames {
                let (last, start) = frame.split_last().expect("a frame");
                for piece in start.chunks(size) {
                    state.feed(piece);
                    assert!((1..=frame.len()).contains(&state.rest()));
                }
                state.feed(&[*last]);
                assert_eq!((state.rest(), state.has_closed()), (0, *closes));
            }
        }
    }
}
