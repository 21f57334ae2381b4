//! Where requests of an HTTP/1 connection begin and end (RFC 9112).
//!
//! hyper tells nobody which part of a request it waits for, and it is more lenient than two parties that must agree
//! should be: it takes a line that ends without CR, a Content-Length beside a Transfer-Encoding, and the same length
//! twice. Here a head is followed as it arrives, and one that could be read in two ways is none.

#[cfg(test)]
mod agreement;

/// The part of a request that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The next request's, if there is one.
    Between,
    Head,
    Body,
}

/// Why bytes cannot be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// This byte makes a head none.
    Head(usize),
    /// This byte makes a body other than its head says.
    Body(usize),
}

/// Follows the requests of a connection.
#[derive(Debug, Default)]
pub(super) struct Framing {
    at: At,
    line: Line,
    head: Head,
    has_begun: bool,
}

/// Where the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    /// At the request line, or an empty line before it.
    #[default]
    Start,
    Fields,
    /// In a body with so many bytes left.
    Length(u64),
    ChunkSize,
    Chunk(u64),
    ChunkEnd,
    Trailers,
}

/// What a head says about its body.
#[derive(Debug, Default)]
struct Head {
    length: Option<u64>,
    is_chunked: bool,
}

/// The line that is being read. Of a long one only the beginning is kept: no field that is looked at here is longer.
#[derive(Debug, Default)]
struct Line {
    start: Vec<u8>,
    length: usize,
    ends_with_cr: bool,
}

const KEPT: usize = 256;

/// The most digits of a chunk's size, which is one of 64 bits.
const MAX_DIGITS: usize = 16;

/// A line that cannot be what it should.
struct Wrong;

impl Framing {
    /// Follows some more bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if let At::Length(left) | At::Chunk(left) = self.at {
                let count = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                rest = &rest[count..];
                self.pass(left - count as u64);
                continue;
            }
            let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
                self.line.add(rest);
                break;
            };
            self.line.add(&rest[..end]);
            let line = std::mem::take(&mut self.line);
            if self.end_line(&line).is_err() {
                let at = bytes.len() - rest.len() + end;
                return Err(match self.at {
                    At::Start | At::Fields => Broken::Head(at),
                    _ => Broken::Body(at),
                });
            }
            rest = &rest[end + 1..];
            // Its room is used again.
            self.line = line.emptied();
        }
        Ok(())
    }

    /// The part of a request that the next byte belongs to.
    pub(super) fn part(&self) -> Part {
        match self.at {
            // Half an empty line asks for as little as a whole one.
            At::Start if self.line.length == 0 || self.line.is_half_empty() => Part::Between,
            At::Start | At::Fields => Part::Head,
            _ => Part::Body,
        }
    }

    /// Whether there was a request line. Empty lines before it ask for nothing (RFC 9112, 2.2).
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// So much of a body or a chunk is left.
    fn pass(&mut self, left: u64) {
        self.at = match (self.at, left) {
            (At::Length(_), 0) => At::Start,
            (At::Chunk(_), 0) => At::ChunkEnd,
            (At::Chunk(_), left) => At::Chunk(left),
            (_, left) => At::Length(left),
        };
    }

    fn end_line(&mut self, line: &Line) -> Result<(), Wrong> {
        let text = line.text().ok_or(Wrong)?;
        self.at = match self.at {
            At::Start | At::Trailers if line.is_empty() => At::Start,
            At::Start => {
                self.head = Head::default();
                self.has_begun = true;
                At::Fields
            }
            At::Fields if line.is_empty() => self.head.body(),
            At::Fields => {
                self.head.field(text, line.is_whole())?;
                At::Fields
            }
            // Of a longer line the size that another reader sees could lie behind what is kept.
            At::ChunkSize if !line.is_whole() => return Err(Wrong),
            At::ChunkSize => match size(text).ok_or(Wrong)? {
                0 => At::Trailers,
                size => At::Chunk(size),
            },
            At::ChunkEnd if line.is_empty() => At::ChunkSize,
            At::Trailers => At::Trailers,
            At::ChunkEnd | At::Length(_) | At::Chunk(_) => return Err(Wrong),
        };
        Ok(())
    }
}

impl Head {
    /// Reads a field. A body's length is said once, and in one way.
    fn field(&mut self, line: &[u8], is_whole: bool) -> Result<(), Wrong> {
        // A line that goes on with the one before it is read as part of it by some, and as a field by others.
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            return Err(Wrong);
        }
        let Some(colon) = line.iter().position(|&byte| byte == b':') else {
            // hyper refuses it.
            return Ok(());
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        let is_length = name.eq_ignore_ascii_case(b"content-length");
        if !is_length && !name.eq_ignore_ascii_case(b"transfer-encoding") {
            return Ok(());
        }
        if self.length.is_some() || self.is_chunked || !is_whole {
            return Err(Wrong);
        }
        if is_length {
            self.length = Some(number(value, 10).ok_or(Wrong)?);
        } else if value.eq_ignore_ascii_case(b"chunked") {
            self.is_chunked = true;
        } else {
            return Err(Wrong);
        }
        Ok(())
    }

    /// Where the byte behind the head stands.
    fn body(&self) -> At {
        match self.length {
            _ if self.is_chunked => At::ChunkSize,
            None | Some(0) => At::Start,
            Some(length) => At::Length(length),
        }
    }
}

/// The size of a chunk, whose line may go on with extensions.
fn size(line: &[u8]) -> Option<u64> {
    let end = line.iter().position(|&byte| byte == b';').unwrap_or(line.len());
    let digits = line[..end].trim_ascii_end();
    (digits.len() <= MAX_DIGITS).then(|| number(digits, 16))?
}

/// A number of digits alone.
fn number(text: &[u8], radix: u32) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let is_digits = text.chars().all(|digit| digit.is_digit(radix));
    is_digits.then(|| u64::from_str_radix(text, radix).ok())?
}

impl Line {
    fn add(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else {
            return;
        };
        let room = KEPT.saturating_sub(self.start.len()).min(bytes.len());
        self.start.extend_from_slice(&bytes[..room]);
        self.length += bytes.len();
        self.ends_with_cr = *last == b'\r';
    }

    /// The line without its end, or `None` if it ends without CR.
    fn text(&self) -> Option<&[u8]> {
        let whole = self.start.strip_suffix(b"\r").filter(|_| self.is_whole());
        self.ends_with_cr.then(|| whole.unwrap_or(&self.start))
    }

    fn is_empty(&self) -> bool {
        self.length == 1
    }

    /// Whether all there is of it could be the end of an empty line.
    fn is_half_empty(&self) -> bool {
        self.is_empty() && self.ends_with_cr
    }

    fn is_whole(&self) -> bool {
        self.length <= KEPT
    }

    fn emptied(mut self) -> Self {
        self.start.clear();
        Self {
            start: self.start,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_oneof, proptest};
    use proptest::sample::select;
    use proptest::strategy::Strategy as _;

    use super::{Broken, Framing, Part};
    use crate::testing::cases;

    /// Follows bytes in pieces of every size; the outcome must be the same.
    fn follow(bytes: &[u8]) -> Result<Part, Broken> {
        let follow = |size: usize| {
            let mut framing = Framing::default();
            let mut before = 0;
            for piece in bytes.chunks(size) {
                framing.take(piece).map_err(|broken| match broken {
                    Broken::Head(at) => Broken::Head(before + at),
                    Broken::Body(at) => Broken::Body(before + at),
                })?;
                before += piece.len();
            }
            Ok(framing.part())
        };
        let whole = follow(bytes.len());
        for size in 1..bytes.len() {
            assert_eq!(follow(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn requests_are_followed_from_one_to_the_next() {
        let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "a".repeat(1000));
        for whole in [
            "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
            "\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\na\nbGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length:0\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: Chunked\r\n\r\n3;a=b\r\na\nb\r\nA \r\n0123456789\r\n0\r\nx: y\r\n\r\n",
            long.as_str(),
        ] {
            assert_eq!(follow(whole.as_bytes()), Ok(Part::Between), "{whole:?}");
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
            assert_eq!(follow(part.as_bytes()), Ok(expected), "{part:?}");
        }
    }

    #[test]
    fn a_head_that_can_be_read_in_two_ways_is_none() {
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
            let outcome = follow(head.as_bytes());
            assert_eq!(outcome, Err(Broken::Head(head.len() - 1)), "{head:?}");
        }
        assert_eq!(follow(b"GET / HTTP/1.1\n"), Err(Broken::Head(14)));
        assert_eq!(follow(b"\n"), Err(Broken::Head(0)));
    }

    #[test]
    fn chunks_that_are_none_end_the_connection() {
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
            &format!("{}2\r\n", "0".repeat(300)),
            &format!("2;{}\r\n", "x".repeat(300)),
        ] {
            let message = format!("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n{body}");
            let outcome = follow(message.as_bytes());
            assert!(
                matches!(outcome, Err(Broken::Body(at)) if message.as_bytes()[at] == b'\n'),
                "{body:?}: {outcome:?}"
            );
        }
    }

    /// What requests are made of.
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
        fn any_bytes_are_the_same_requests_in_pieces(words in vec(prop_oneof![
            8 => select(WORDS).prop_map(|word| word.as_bytes().to_vec()),
            1 => vec(any::<u8>(), 0..4),
        ], 0..12)) {
            let bytes = words.concat();
            if !bytes.is_empty() {
                let _ = follow(&bytes);
            }
        }

        #[test]
        fn a_request_ends_where_its_body_does(body in vec(any::<u8>(), 0..300), chunk in 1_usize..100) {
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
            assert_eq!(framing.take(&whole[..whole.len() - 1]), Ok(()));
            assert_ne!(framing.part(), Part::Between);
            assert_eq!(framing.take(b"\n"), Ok(()));
            assert_eq!(framing.part(), Part::Between);
        }
    }
}
