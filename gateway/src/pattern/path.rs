//! The path of a request, split and decoded once.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::is_reserved;

/// What is encoded in a segment: everything that `encodeURIComponent` encodes.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// The decoded segments of a request's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestPath {
    segments: Vec<String>,
    trailing_slash: bool,
}

/// Why a path is refused before it is matched with anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathError {
    #[error("The address must begin with a slash.")]
    NoSlash,
    #[error("The address has a character that must be percent-encoded.")]
    Character,
    #[error("The address has a broken percent-encoding.")]
    Encoding,
    #[error("The address is not valid UTF-8.")]
    Utf8,
    #[error("The address has an encoded slash or a NUL.")]
    Forbidden,
    #[error("The address has a segment that means this or the parent folder.")]
    Dots,
}

impl RequestPath {
    /// Splits a raw path at its slashes, then decodes each segment once.
    ///
    /// Browsers read a backslash as a slash, so a raw one would let a redirect to 'this path without its trailing
    /// slash' name another host: it is refused, as is everything that RFC 3986 wants encoded and is not ASCII.
    pub(crate) fn parse(raw: &str) -> Result<Self, PathError> {
        let rest = raw.strip_prefix('/').ok_or(PathError::NoSlash)?;
        if raw.bytes().any(|b| b"\\?#".contains(&b) || !b.is_ascii_graphic()) {
            return Err(PathError::Character);
        }
        let mut segments = Vec::new();
        let mut trailing_slash = false;
        if !rest.is_empty() {
            for part in rest.split('/') {
                segments.push(decode(part)?);
            }
            if segments.last().is_some_and(String::is_empty) {
                segments.pop();
                trailing_slash = true;
            }
        }
        Ok(Self {
            segments,
            trailing_slash,
        })
    }

    /// The decoded segments, without the empty one behind a trailing slash.
    pub(crate) fn segments(&self) -> &[String] {
        &self.segments
    }

    /// The path with nothing encoded but what must be: one text for all the ways to write it.
    pub(crate) fn canonical(&self) -> String {
        let mut text = String::new();
        for segment in &self.segments {
            text.push('/');
            text.extend(utf8_percent_encode(segment, SEGMENT));
        }
        if text.is_empty() { "/".to_owned() } else { text }
    }

    /// Whether it belongs to the gateway itself, so that it is no page's.
    pub(crate) fn is_reserved(&self) -> bool {
        self.segments.first().is_some_and(|first| is_reserved(first))
    }

    /// Whether the path ends with a slash and is not `/` itself.
    pub(crate) fn has_trailing_slash(&self) -> bool {
        self.trailing_slash
    }

    /// Whether two slashes stand side by side in it: such a path matches nothing and is never redirected.
    pub(crate) fn has_empty_segment(&self) -> bool {
        self.segments.iter().any(String::is_empty)
    }
}

/// The text of a part between slashes.
fn decode(part: &str) -> Result<String, PathError> {
    let text = if part.contains('%') {
        decode_encoded(part)?
    } else {
        part.to_owned()
    };
    if text == "." || text == ".." {
        return Err(PathError::Dots);
    }
    Ok(text)
}

fn decode_encoded(part: &str) -> Result<String, PathError> {
    let mut rest = part.as_bytes();
    while let Some(at) = rest.iter().position(|&b| b == b'%') {
        let digits = rest.get(at + 1..at + 3).ok_or(PathError::Encoding)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(PathError::Encoding);
        }
        rest = &rest[at + 3..];
    }
    let text = percent_decode_str(part)
        .decode_utf8()
        .map_err(|_| PathError::Utf8)?;
    if text.contains(['/', '\0']) {
        return Err(PathError::Forbidden);
    }
    Ok(text.into_owned())
}
