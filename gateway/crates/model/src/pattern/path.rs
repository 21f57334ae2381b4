//! The path of a request, split into segments and percent-decoded once.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Reserved first segments of the gateway's own paths, in addition to all that start with an
/// underscore. No page pattern may start with one, on any site: a release must stay valid when an
/// operator turns on an integration, which serves `functions` or `go`.
pub(super) const RESERVED: [&str; 12] = [
    "assets",
    "functions",
    "go",
    "api",
    "robots.txt",
    "sitemap.xml",
    "manifest.webmanifest",
    "apple-touch-icon.png",
    ".well-known",
    "favicon.ico",
    "healthz",
    "readyz",
];

/// The characters percent-encoded in a segment: those that JavaScript's `encodeURIComponent`
/// encodes.
pub(crate) const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
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
pub struct RequestPath {
    /// The path as one string: a slash before each segment, or `/` without segments. Segments
    /// contain no slash.
    decoded: String,
    trailing_slash: bool,
}

/// Why a request path is invalid. The messages are shown to visitors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It does not start with a slash.
    #[error("The address must begin with a slash.")]
    NoSlash,
    /// It has a character that is not allowed in a path.
    #[error("The address has a character that must be percent-encoded.")]
    Character,
    /// A percent sign is not followed by two hexadecimal digits.
    #[error("The address has a broken percent-encoding.")]
    Encoding,
    /// A decoded segment is not UTF-8.
    #[error("The address is not valid UTF-8.")]
    Utf8,
    /// A decoded segment has a slash or NUL.
    #[error("The address has an encoded slash or a NUL.")]
    Forbidden,
    /// A decoded segment is `.` or `..`.
    #[error("The address has a segment that means this or the parent folder.")]
    Dots,
}

impl RequestPath {
    /// Splits a raw path at its slashes, then percent-decodes each segment once.
    ///
    /// A raw backslash is an error because browsers treat it as a slash: a redirect that removes a
    /// trailing slash would become an open redirect. Non-ASCII characters must be percent-encoded
    /// (RFC 3986).
    pub fn parse(raw: &str) -> Result<Self, PathError> {
        let rest = raw.strip_prefix('/').ok_or(PathError::NoSlash)?;
        // No early exit, so that the compiler checks several bytes at once.
        if !raw
            .bytes()
            .fold(true, |is_valid, byte| is_valid & is_path_byte(byte))
        {
            return Err(PathError::Character);
        }
        let (rest, trailing_slash) = match rest.strip_suffix('/') {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let mut decoded = String::with_capacity(raw.len());
        if raw.contains('%') || raw.contains("/.") {
            for part in split(rest) {
                decoded.push('/');
                decoded.push_str(&decode(part)?);
            }
        } else {
            // No segment changes, and none is `.` or `..`.
            decoded.push('/');
            decoded.push_str(rest);
        }
        Ok(Self {
            decoded,
            trailing_slash,
        })
    }

    /// Whether a text is a percent-encoded path of this site, without query. Appended to the site's
    /// origin, it is a URL of this origin.
    pub fn is_site_path(text: &str) -> bool {
        Self::parse(text).is_ok_and(|path| !path.has_empty_segment())
    }

    /// The path of these decoded segments.
    pub(super) fn of_segments<'a>(segments: impl Iterator<Item = &'a str>) -> Self {
        let mut decoded = String::new();
        for segment in segments {
            decoded.push('/');
            decoded.push_str(segment);
        }
        if decoded.is_empty() {
            decoded.push('/');
        }
        Self {
            decoded,
            trailing_slash: false,
        }
    }

    /// The decoded path: a slash before each segment, or `/` without segments. It has no trailing
    /// slash.
    pub fn decoded(&self) -> &str {
        &self.decoded
    }

    /// The decoded segments, without the empty one after a trailing slash.
    pub fn segments(&self) -> impl Iterator<Item = &str> + Clone {
        let is_root = self.decoded == "/" && !self.trailing_slash;
        // What precedes the first slash is no segment.
        split(&self.decoded).skip(if is_root { 2 } else { 1 })
    }

    /// The canonical form: only the necessary characters are percent-encoded, and there is no
    /// trailing slash.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        for segment in self.segments() {
            text.push('/');
            text.extend(utf8_percent_encode(segment, SEGMENT));
        }
        if text.is_empty() { "/".to_owned() } else { text }
    }

    /// Whether the path is reserved for the gateway. No page matches it.
    pub fn is_reserved(&self) -> bool {
        self.segments().next().is_some_and(is_reserved)
    }

    /// Whether the path ends with a slash and is not `/` itself.
    pub fn has_trailing_slash(&self) -> bool {
        self.trailing_slash
    }

    /// Whether the path has consecutive slashes. Such a path matches no page and never redirects.
    pub fn has_empty_segment(&self) -> bool {
        self.segments().any(str::is_empty)
    }
}

/// Splits a path at its slashes. In short segments, the search of [`str::split`] takes several
/// times as long.
fn split(path: &str) -> impl Iterator<Item = &str> + Clone {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        let end = path.bytes().position(|byte| byte == b'/');
        rest = end.map(|end| &path[end + 1..]);
        Some(end.map_or(path, |end| &path[..end]))
    })
}

/// Whether a raw path may have a byte.
fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'?' | b'#')
}

/// Percent-decodes one segment.
fn decode(part: &str) -> Result<Cow<'_, str>, PathError> {
    let text = if part.contains('%') {
        decode_encoded(part)?
    } else {
        part.into()
    };
    if text == "." || text == ".." {
        return Err(PathError::Dots);
    }
    Ok(text)
}

fn decode_encoded(part: &str) -> Result<Cow<'_, str>, PathError> {
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
    Ok(text)
}

/// Whether paths with this first segment are reserved for the gateway.
pub(super) fn is_reserved(first: &str) -> bool {
    first.starts_with('_') || RESERVED.contains(&first)
}
