//! Version ranges as npm writes them, as far as sections need them.
//!
//! A range is one or more alternatives joined by `||`; an alternative is one or more comparators with spaces between.
//! The comparators are those of the `semver` crate, with one difference that npm makes: a bare version means exactly
//! that version. Hyphen ranges (`1.0.0 - 2.0.0`) are refused.

use semver::{Version, VersionReq};

/// A range of versions.
#[derive(Debug, Clone)]
pub(crate) struct Range(Vec<VersionReq>);

impl Range {
    /// Reads a range; `None` if it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        text.split("||")
            .map(alternative)
            .collect::<Option<Vec<_>>>()
            .map(Self)
    }

    /// Whether a version lies in it.
    pub(crate) fn admits(&self, version: &Version) -> bool {
        self.0.iter().any(|alternative| alternative.matches(version))
    }
}

fn alternative(text: &str) -> Option<VersionReq> {
    let comparators: Vec<String> = text
        .split_whitespace()
        .map(|word| match Version::parse(word) {
            Ok(exact) => format!("={exact}"),
            Err(_) => word.to_owned(),
        })
        .collect();
    if comparators.is_empty() {
        return None;
    }
    VersionReq::parse(&comparators.join(", ")).ok()
}

#[cfg(test)]
mod tests {
    use super::Range;

    fn admits(range: &str, version: &str) -> bool {
        Range::parse(range)
            .expect("a range")
            .admits(&version.parse().expect("a version"))
    }

    #[test]
    fn ranges_admit_what_npm_admits() {
        let cases = [
            ("^19.0.0", "19.3.1", true),
            ("^19.0.0", "20.0.0", false),
            ("^0.1.0", "0.1.9", true),
            ("^0.1.0", "0.2.0", false),
            ("19.0.0", "19.0.0", true),
            ("19.0.0", "19.0.1", false),
            ("~1.2.3", "1.2.9", true),
            (">=1.2.0 <2.0.0", "1.9.9", true),
            (">=1.2.0 <2.0.0", "2.0.0", false),
            ("^18.0.0 || ^19.0.0", "18.2.0", true),
            ("^18.0.0 || ^19.0.0", "17.0.0", false),
            ("19.x", "19.4.0", true),
            ("*", "3.0.0", true),
        ];
        for (range, version, expected) in cases {
            assert_eq!(admits(range, version), expected, "{version} in {range}");
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", " ", "latest", "^19.0.0 ||", "1.0.0 - 2.0.0", "workspace:*"] {
            assert!(Range::parse(text).is_none(), "{text:?}");
        }
    }
}
