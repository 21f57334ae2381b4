//! Path patterns: which page a path belongs to.
//!
//! A pattern has static segments and `:param` segments, is case-sensitive and begins with a slash. A static segment
//! beats a param, from left to right. Two patterns of equal shape collide. The cases in `tests/tables/paths.json`
//! hold for this matcher and for the shell's alike.

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod path;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use path::{PathError, RequestPath};
pub(crate) use table::Table;

use std::fmt;

/// First segments that belong to the gateway itself, besides all that begin with an underscore: no page may begin with
/// one. Those with an underscore are the shell's business with the gateway, which may grow.
const RESERVED: [&str; 11] = [
    "assets",
    "functions",
    "go",
    "api",
    "robots.txt",
    "sitemap.xml",
    "manifest.webmanifest",
    ".well-known",
    "favicon.ico",
    "healthz",
    "readyz",
];

/// One well-formed path pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    text: String,
    segments: Vec<Segment>,
}

/// One part of a pattern between two slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Matches exactly this text, compared after decoding.
    Literal(String),
    /// Matches any one segment and gives it this name.
    Param(String),
}

/// Why a text is no path pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("it must begin with a slash")]
    NoSlash,
    #[error("it must not end with a slash")]
    TrailingSlash,
    #[error("it has an empty segment")]
    EmptySegment,
    #[error("the segment `{0}` may only hold letters, digits, `-`, `_`, `.` and `~`")]
    Literal(String),
    #[error("the segment `{0}` means this or the parent folder")]
    Dots(String),
    #[error(
        "the param `{0}` must be a colon and a name of letters, digits and `_`, not beginning with a digit"
    )]
    Param(String),
    #[error("the param `:{0}` stands in it twice")]
    Twice(String),
    #[error("paths below `/{0}` belong to the gateway")]
    Reserved(String),
}

impl Pattern {
    /// Reads a pattern, or says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        let rest = text.strip_prefix('/').ok_or(PatternError::NoSlash)?;
        let mut segments = Vec::new();
        if !rest.is_empty() {
            if rest.ends_with('/') {
                return Err(PatternError::TrailingSlash);
            }
            for part in rest.split('/') {
                segments.push(Segment::parse(part)?);
            }
        }
        let mut names: Vec<&str> = Vec::new();
        for segment in &segments {
            if let Segment::Param(name) = segment {
                if names.contains(&name.as_str()) {
                    return Err(PatternError::Twice(name.clone()));
                }
                names.push(name);
            }
        }
        if let Some(Segment::Literal(first)) = segments.first()
            && is_reserved(first)
        {
            return Err(PatternError::Reserved(first.clone()));
        }
        Ok(Self {
            text: text.to_owned(),
            segments,
        })
    }

    /// The pattern as it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Its segments, in order.
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }
}

/// Whether a path whose first segment this is belongs to the gateway itself.
fn is_reserved(first: &str) -> bool {
    first.starts_with('_') || RESERVED.contains(&first)
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Segment {
    fn parse(part: &str) -> Result<Self, PatternError> {
        if let Some(name) = part.strip_prefix(':') {
            let first_is_letter = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if first_is_letter && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Ok(Self::Param(name.to_owned()));
            }
            return Err(PatternError::Param(part.to_owned()));
        }
        match part {
            "" => Err(PatternError::EmptySegment),
            "." | ".." => Err(PatternError::Dots(part.to_owned())),
            _ if part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.~".contains(&b)) =>
            {
                Ok(Self::Literal(part.to_owned()))
            }
            _ => Err(PatternError::Literal(part.to_owned())),
        }
    }
}
