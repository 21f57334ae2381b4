//! Path patterns: they select the page of a path.
//!
//! A pattern starts with a slash and has static segments and `:param` segments. A last segment `*`
//! matches the rest of a path. Patterns are case-sensitive. A static segment takes precedence over a
//! param, and a param over the rest, from left to right. Two patterns that match the same paths
//! collide. The cases in `tests/tables/paths.json` define the behavior of
//! this matcher and of the shell's.

#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod path;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use path::SEGMENT;
pub use path::{PathError, RequestPath};
pub use table::PatternTable;

use std::cmp::Ordering;
use std::fmt;

use path::is_reserved;

/// The last segment of a pattern that matches the rest of a path.
const REST: &str = "*";

/// A segment that no static segment equals: patterns cannot contain it.
const UNNAMED: &str = "*";

/// The maximum number of segments of a URL of a page or file. The gateway serves no URL with more.
pub const MAX_SEGMENTS: usize = 64;

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
    /// Matches any number of segments, also none. It is the last one.
    Rest,
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
    /// The rest does not come last, or comes first.
    #[error("the segment `*` must be the last one, and not the only one")]
    Rest,
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
        let rest = segments.iter().position(|segment| *segment == Segment::Rest);
        if rest.is_some_and(|index| index == 0 || index + 1 < segments.len()) {
            return Err(PatternError::Rest);
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

    /// Whether a pattern matches one path only, which is its text.
    pub fn is_static(text: &str) -> bool {
        !text.contains("/:") && !text.ends_with("/*")
    }

    /// The segments, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Of two patterns that match a path, the order: a lookup prefers the greater one. At the first
    /// segment in which they differ, it is static where the other one has a parameter, or ends where
    /// the other one has the rest.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        let rank = |segment: &Segment| match segment {
            Segment::Literal(_) => 3,
            Segment::Param(_) => 2,
            Segment::Rest => 0,
        };
        let ranks = |pattern: &Self| {
            let segments: Vec<_> = pattern.segments.iter().map(rank).collect();
            segments.into_iter().chain([1])
        };
        ranks(self).cmp(ranks(other))
    }

    /// A path that both patterns match; `None` if there is none. Every pattern that matches this
    /// path matches all paths that the two have in common.
    pub fn common_path(&self, other: &Self) -> Option<RequestPath> {
        let (one, has_rest) = self.without_rest();
        let (other, other_has_rest) = other.without_rest();
        let length = match (has_rest, other_has_rest) {
            (false, _) => one.len(),
            (true, false) => other.len(),
            // Only patterns with the rest match a path that is longer than any pattern.
            (true, true) => MAX_SEGMENTS + 1,
        };
        let fits = |segments: &[Segment], has_rest| {
            segments.len() == length || (has_rest && segments.len() < length)
        };
        if !fits(one, has_rest) || !fits(other, other_has_rest) {
            return None;
        }
        let common = (0..length).map(|index| match (one.get(index), other.get(index)) {
            (Some(Segment::Literal(one)), Some(Segment::Literal(other))) => {
                (one == other).then_some(one.as_str())
            }
            (Some(Segment::Literal(text)), _) | (_, Some(Segment::Literal(text))) => Some(text.as_str()),
            _ => Some(UNNAMED),
        });
        let segments: Option<Vec<_>> = common.collect();
        Some(RequestPath::of_segments(segments?.into_iter()))
    }

    /// The segments before the rest, and whether the pattern has it.
    fn without_rest(&self) -> (&[Segment], bool) {
        match self.segments.split_last() {
            Some((Segment::Rest, segments)) => (segments, true),
            _ => (&self.segments, false),
        }
    }
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
            REST => Ok(Self::Rest),
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
