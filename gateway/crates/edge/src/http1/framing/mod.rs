//! Finds where the requests of an HTTP/1 connection begin and end (RFC 9112), and rejects ambiguous
//! framing.
//!
//! hyper does not report which part of a request it waits for. It also accepts ambiguous framing,
//! which allows request smuggling: a line that ends without CR, a Content-Length next to a
//! Transfer-Encoding, and a repeated Content-Length. It drops a fragment from the request target,
//! and accepts control characters in a chunk extension.

#[cfg(test)]
mod hyper_agreement;

use memchr::memchr;

/// The part of a request that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The next request, if there is one.
    Between,
    /// The request line or the header section.
    Head,
    /// The body.
    Body,
}

/// Where the framing is invalid or ambiguous, as an index into the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FramingError {
    /// In a head.
    Head(usize),
    /// In a body.
    Body(usize),
}

/// A parser of the framing of a connection.
#[derive(Debug, Default)]
pub(super) struct Framing {
    at: Position,
    /// What has arrived of a line that is incomplete.
    part: PartialLine,
    head: Head,
    has_begun: bool,
}

/// The state of the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Position {
    /// In the request line, or an empty line before it.
    #[default]
    Start,
    /// In a field line.
    Fields,
    /// In a body with this many bytes left.
    Length(u64),
    /// In the line before a chunk.
    ChunkSize,
    /// In a chunk with this many bytes left.
    Chunk(u64),
    /// In the line end after a chunk.
    ChunkEnd,
    /// In the trailer section.
    Trailers,
}

/// The framing of the body, according to the head.
#[derive(Debug, Default)]
struct Head {
    length: Option<u64>,
    is_chunked: bool,
}

/// A line without its LF.
struct Line<'a> {
    /// Without its CR. Only the first [`MAX_STORED`] bytes of a longer line that came in parts.
    text: &'a [u8],
    /// Whether it has at most [`MAX_STORED`] bytes.
    is_short: bool,
    /// Whether a request line has a `#`. It begins a fragment, or belongs to a method that no route
    /// accepts.
    has_hash: bool,
}

/// A line that comes in parts. Stores only the first [`MAX_STORED`] bytes: valid framing fields are
/// shorter.
#[derive(Debug, Default)]
struct PartialLine {
    start: Vec<u8>,
    length: usize,
    ends_with_cr: bool,
    has_hash: bool,
}

/// The maximum number of stored bytes of a line.
const MAX_STORED: usize = 256;

/// The maximum number of hexadecimal digits of a chunk size, which has 64 bits.
const MAX_DIGITS: usize = 16;

/// An invalid line.
struct Malformed;

impl Framing {
    /// Parses more bytes.
    ///
    /// # Errors
    ///
    /// The framing is invalid or ambiguous. The parser must not be used further.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), FramingError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if let Position::Length(left) | Position::Chunk(left) = self.at {
                let count = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                rest = &rest[count..];
                self.skip_to(left - count as u64);
                continue;
            }
            let Some(end) = memchr(b'\n', rest) else {
                self.part.add(rest);
                break;
            };
            if self.end_line(&rest[..end]).is_err() {
                let at = bytes.len() - rest.len() + end;
                return Err(match self.at {
                    Position::Start | Position::Fields => FramingError::Head(at),
                    _ => FramingError::Body(at),
                });
            }
            rest = &rest[end + 1..];
        }
        Ok(())
    }

    /// Returns the part of a request that the next byte belongs to.
    pub(super) fn part(&self) -> Part {
        match self.at {
            Position::Start if self.part.may_be_empty() => Part::Between,
            Position::Start | Position::Fields => Part::Head,
            _ => Part::Body,
        }
    }

    /// Returns whether there was a request line. Empty lines before it are ignored (RFC 9112,
    /// section 2.2).
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Skips to where this much of a body or chunk is left.
    fn skip_to(&mut self, left: u64) {
        self.at = match (self.at, left) {
            (Position::Length(_), 0) => Position::Start,
            (Position::Chunk(_), 0) => Position::ChunkEnd,
            (Position::Chunk(_), left) => Position::Chunk(left),
            (_, left) => Position::Length(left),
        };
    }

    /// Parses a line that ends with these bytes.
    fn end_line(&mut self, end: &[u8]) -> Result<(), Malformed> {
        // Most lines come whole, and are not copied.
        if self.part.length == 0 {
            let text = end.strip_suffix(b"\r").ok_or(Malformed)?;
            return self.line(&Line {
                text,
                is_short: end.len() <= MAX_STORED,
                has_hash: self.at == Position::Start && memchr(b'#', text).is_some(),
            });
        }
        self.part.add(end);
        let part = std::mem::take(&mut self.part);
        let line = part.line().ok_or(Malformed)?;
        self.line(&line)
    }

    fn line(&mut self, line: &Line<'_>) -> Result<(), Malformed> {
        self.at = match self.at {
            Position::Start | Position::Trailers if line.text.is_empty() => Position::Start,
            // RFC 9112, section 3.2.
            Position::Start if line.has_hash => return Err(Malformed),
            Position::Start => {
                self.head = Head::default();
                self.has_begun = true;
                Position::Fields
            }
            Position::Fields if line.text.is_empty() => self.head.after_head(),
            Position::Fields => {
                self.head.field(line)?;
                Position::Fields
            }
            // The size could continue beyond the stored bytes.
            Position::ChunkSize if !line.is_short => return Err(Malformed),
            Position::ChunkSize => match chunk_size(line.text).ok_or(Malformed)? {
                0 => Position::Trailers,
                size => Position::Chunk(size),
            },
            Position::ChunkEnd if line.text.is_empty() => Position::ChunkSize,
            Position::Trailers => Position::Trailers,
            Position::ChunkEnd | Position::Length(_) | Position::Chunk(_) => return Err(Malformed),
        };
        Ok(())
    }
}

impl Head {
    /// Parses a field line. Rejects a second framing field.
    fn field(&mut self, line: &Line<'_>) -> Result<(), Malformed> {
        match line.text.first() {
            // Obsolete line folding: some parsers join such a line to the previous one, others read
            // a field.
            Some(b' ' | b'\t') => return Err(Malformed),
            Some(b'C' | b'c' | b'T' | b't') => {}
            _ => return Ok(()),
        }
        let Some(colon) = memchr(b':', line.text) else {
            // hyper rejects it.
            return Ok(());
        };
        let (name, value) = (&line.text[..colon], line.text[colon + 1..].trim_ascii());
        let is_length = name.eq_ignore_ascii_case(b"content-length");
        if !is_length && !name.eq_ignore_ascii_case(b"transfer-encoding") {
            return Ok(());
        }
        if self.length.is_some() || self.is_chunked || !line.is_short {
            return Err(Malformed);
        }
        if is_length {
            self.length = Some(parse_number(value, 10).ok_or(Malformed)?);
        } else if value.eq_ignore_ascii_case(b"chunked") {
            self.is_chunked = true;
        } else {
            return Err(Malformed);
        }
        Ok(())
    }

    /// Returns the state after the head.
    fn after_head(&self) -> Position {
        match self.length {
            _ if self.is_chunked => Position::ChunkSize,
            None | Some(0) => Position::Start,
            Some(length) => Position::Length(length),
        }
    }
}

/// Parses the size of a chunk, before any extensions (RFC 9112, section 7.1.1).
fn chunk_size(line: &[u8]) -> Option<u64> {
    let end = line.iter().position(|&byte| byte == b';').unwrap_or(line.len());
    let (size, extensions) = line.split_at(end);
    if extensions
        .iter()
        .any(|byte| byte.is_ascii_control() && *byte != b'\t')
    {
        return None;
    }
    let digits = size.trim_ascii_end();
    (digits.len() <= MAX_DIGITS).then(|| parse_number(digits, 16))?
}

/// Parses a number that consists only of digits.
fn parse_number(text: &[u8], radix: u32) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let is_digits = text.chars().all(|digit| digit.is_digit(radix));
    is_digits.then(|| u64::from_str_radix(text, radix).ok())?
}

impl PartialLine {
    fn add(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else {
            return;
        };
        let capacity = MAX_STORED.saturating_sub(self.start.len()).min(bytes.len());
        self.start.extend_from_slice(&bytes[..capacity]);
        self.length += bytes.len();
        self.ends_with_cr = *last == b'\r';
        self.has_hash |= memchr(b'#', bytes).is_some();
    }

    /// Returns whether the line is empty if the next byte is LF. A CR may be the first half of its
    /// end.
    fn may_be_empty(&self) -> bool {
        self.length == 0 || (self.length == 1 && self.ends_with_cr)
    }

    /// Returns the line, or `None` if it does not end with CR.
    fn line(&self) -> Option<Line<'_>> {
        let is_short = self.length <= MAX_STORED;
        let whole = self.start.strip_suffix(b"\r").filter(|_| is_short);
        self.ends_with_cr.then_some(Line {
            text: whole.unwrap_or(&self.start),
            is_short,
            has_hash: self.has_hash,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_oneof, proptest};
    use proptest::sample::select;
    use proptest::strategy::Strategy as _;

    use super::{Framing, FramingError, Part};
    use colonnade_testing::cases;

    /// Parses bytes in pieces of every size and checks that the result is the same.
    fn parse(bytes: &[u8]) -> Result<Part, FramingError> {
        let parse = |size: usize| {
            let mut framing = Framing::default();
            let mut before = 0;
            for piece in bytes.chunks(size) {
                framing.feed(piece).map_err(|error| match error {
                    FramingError::Head(at) => FramingError::Head(before + at),
                    FramingError::Body(at) => FramingError::Body(before + at),
                })?;
                before += piece.len();
            }
            Ok(framing.part())
        };
        let whole = parse(bytes.len());
        for size in 1..bytes.len() {
            assert_eq!(parse(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn framing_finds_part_of_request() {
        let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "a".repeat(1000));
        for whole in [
            "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
            "\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\na\nbGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length:0\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n3;a=\"\tb#\"\r\na\nb\r\nA \r\n0123456789\r\n0\r\nx: y\r\n\r\n",
            long.as_str(),
        ] {
            assert_eq!(parse(whole.as_bytes()), Ok(Part::Between), "{whole:?}");
        }
        for (part, expected) in [
            ("G", Part::Head),
            ("\r", Part::Between),
            ("\rG", Part::Head),
            ("GET / HTTP/1.1\r\nhost: a\r\n", Part::Head),
            ("POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\nab", Part::Body),
            (
                "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
                Part::Body,
            ),
            (
                "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n",
                Part::Body,
            ),
        ] {
            assert_eq!(parse(part.as_bytes()), Ok(expected), "{part:?}");
        }
    }

    #[test]
    fn framing_rejects_ambiguous_head() {
        let twice = "content-length: 3\r\n";
        for fields in [
            "host: a\n",
            "content-length: 3\r\ntransfer-encoding: chunked\r\n",
            "transfer-encoding: chunked\r\ncontent-length: 3\r\n",
            "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
            "transfer-encoding: gzip, chunked\r\n",
            "transfer-encoding: xchunked\r\n",
            "transfer-encoding:\x0bchunked\r\n",
            "content-length: +3\r\n",
            "content-length: 3, 3\r\n",
            "content-length: 0x3\r\n",
            "content-length:\r\n",
            "content-length: 99999999999999999999\r\n",
            "x: y\r\n z\r\n",
            &twice.repeat(2),
            &format!("content-length: {}3\r\n", "0".repeat(300)),
        ] {
            let head = format!("POST / HTTP/1.1\r\n{fields}");
            let outcome = parse(head.as_bytes());
            assert_eq!(outcome, Err(FramingError::Head(head.len() - 1)), "{head:?}");
        }
        let long = format!("GET /{}#x HTTP/1.1\r\n", "a".repeat(300));
        for line in ["GET /#x HTTP/1.1\r\n", "GET #x HTTP/1.1\r\n", long.as_str()] {
            assert_eq!(
                parse(line.as_bytes()),
                Err(FramingError::Head(line.len() - 1)),
                "{line:?}"
            );
        }
        assert_eq!(parse(b"GET / HTTP/1.1\n"), Err(FramingError::Head(14)));
        assert_eq!(parse(b"\n"), Err(FramingError::Head(0)));
    }

    #[test]
    fn framing_rejects_malformed_chunks() {
        for body in [
            "x\r\n",
            "\r\n",
            "-1\r\n",
            "3\nabc",
            "3\r\nabcd\r\n",
            "3\r\nabc\n",
            "0\r\n\n",
            "11111111111111111\r\n",
            "00000000000000003\r\n",
            "3;x=\0\r\n",
            "3;x\x7f\r\n",
            "3;\r=x\r\n",
            &format!("{}2\r\n", "0".repeat(300)),
            &format!("2;{}\r\n", "x".repeat(300)),
        ] {
            let message = format!("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n{body}");
            let outcome = parse(message.as_bytes());
            assert!(
                matches!(outcome, Err(FramingError::Body(at)) if message.as_bytes()[at] == b'\n'),
                "{body:?}: {outcome:?}"
            );
        }
    }

    /// Parts of requests.
    const WORDS: &[&str] = &[
        "GET / HTTP/1.1\r\n",
        "host: a\r\n",
        "\r\n",
        "\r",
        "\n",
        "content-length: 3\r\n",
        "content-length: 0\r\n",
        "transfer-encoding: chunked\r\n",
        "abc",
        "3\r\nabc\r\n",
        "0\r\n\r\n",
        "a;x=y\r\n",
        " ",
        ":",
        "x",
    ];

    proptest! {
        #![proptest_config(cases(128))]

        #[test]
        fn framing_is_independent_of_read_sizes(words in vec(prop_oneof![
            8 => select(WORDS).prop_map(|word| word.as_bytes().to_vec()),
            1 => vec(any::<u8>(), 0..4),
        ], 0..12)) {
            let bytes = words.concat();
            if !bytes.is_empty() {
                let _ = parse(&bytes);
            }
        }

        #[test]
        fn framing_finds_end_of_body(body in vec(any::<u8>(), 0..300), chunk in 1_usize..100) {
            let long = format!("POST / HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
            let mut whole = [long.as_bytes(), &body[..]].concat();
            whole.extend(b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n");
            for chunk in body.chunks(chunk) {
                whole.extend(format!("{:x}\r\n", chunk.len()).bytes());
                whole.extend(chunk);
                whole.extend(b"\r\n");
            }
            whole.extend(b"0\r\n\r\n");
            let mut framing = Framing::default();
            assert_eq!(framing.feed(&whole[..whole.len() - 1]), Ok(()));
            assert_ne!(framing.part(), Part::Between);
            assert_eq!(framing.feed(b"\n"), Ok(()));
            assert_eq!(framing.part(), Part::Between);
        }
    }
}
