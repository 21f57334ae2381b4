//! Path patterns: they select the page of a path.
//!
//! A pattern starts with a slash and has static segments and `:param` segments. It is
//! case-sensitive. A static segment takes precedence over a param, from left to right. Two patterns
//! that match the same paths collide. The cases in `tests/tables/paths.json` define the behavior of
//! this matcher and of the shell's.

#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod path;
mod table;
#[cfg(test)]
mod tests;

pub use path::{PathError, RequestPath};
pub use table::PatternTable;

use std::cmp::Ordering;
use std::fmt;

/// Reserved first segments of the gateway's own paths, in addition to all that start with an
/// underscore. No page pattern may start with one, on any site: a release must stay valid when an
/// operator turns on an integration, which serves `functions` or `go`.
const RESERVED: [&str; 12] = [
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

/// A segment that no static segment equals: patterns cannot contain it.
const UNNAMED: &str = "*";

/// A valid path pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    segments: Vec<Segment>,
}

/// One segment of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Matches a segment that equals this text after percent-decoding.
    Literal(String),
    /// Matches any segment that is not empty. The parameter has this name.
    Param(String),
}

/// Why a string is not a valid path pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It does not start with a slash.
    #[error("it must begin with a slash")]
    NoSlash,
    /// It ends with a slash.
    #[error("it must not end with a slash")]
    TrailingSlash,
    /// It has two consecutive slashes.
    #[error("it has an empty segment")]
    EmptySegment,
    /// A static segment has a character that is not allowed.
    #[error("the segment `{0}` may only hold letters, digits, `-`, `_`, `.` and `~`")]
    Literal(String),
    /// A segment is `.` or `..`.
    #[error("the segment `{0}` means this or the parent folder")]
    Dots(String),
    /// A param has an invalid name.
    #[error(
        "the param `{0}` must be a colon and a name of letters, digits and `_`, not beginning with a digit"
    )]
    Param(String),
    /// Two params have the same name.
    #[error("it has the param `:{0}` twice")]
    DuplicateParam(String),
    /// The first segment is reserved.
    #[error("paths below `/{0}` belong to the gateway on every site")]
    Reserved(String),
}

impl Pattern {
    /// Parses a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
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
                    return Err(PatternError::DuplicateParam(name.clone()));
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

    /// The pattern's text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The segments, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Of two patterns that match a path, the order: a lookup prefers the greater one. It has the
    /// first segment that is static where the other one has a parameter.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        let is_literal = |segment: &Segment| matches!(segment, Segment::Literal(_));
        let segments = self.segments.iter().map(is_literal);
        segments.cmp(other.segments.iter().map(is_literal))
    }

    /// A path that both patterns match; `None` if there is none. Every pattern that matches this
    /// path matches all paths that the two have in common.
    pub fn common_path(&self, other: &Self) -> Option<RequestPath> {
        if self.segments.len() != other.segments.len() {
            return None;
        }
        let pairs = self.segments.iter().zip(&other.segments);
        let common = pairs.map(|pair| match pair {
            (Segment::Literal(one), Segment::Literal(other)) => (one == other).then_some(one.as_str()),
            (Segment::Literal(text), Segment::Param(_)) | (Segment::Param(_), Segment::Literal(text)) => {
                Some(text.as_str())
            }
            (Segment::Param(_), Segment::Param(_)) => Some(UNNAMED),
        });
        let segments: Option<Vec<_>> = common.collect();
        Some(RequestPath::of_segments(segments?.into_iter()))
    }
}

/// Whether paths with this first segment are reserved for the gateway.
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
