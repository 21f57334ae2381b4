//! Version ranges in npm's syntax, as far as sections need it.
//!
//! A range is one or more alternatives joined by `||`. An alternative is one or more comparators
//! separated by spaces. The comparators are those of the `semver` crate, except that, as in npm, a
//! bare version matches only that version. Hyphen ranges (`1.0.0 - 2.0.0`) are not supported.

use semver::{Version, VersionReq};

/// A range of versions.
#[derive(Debug, Clone)]
pub struct VersionRange(Vec<VersionReq>);

impl VersionRange {
    /// Parses a range; `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        text.split("||")
            .map(alternative)
            .collect::<Option<Vec<_>>>()
            .map(Self)
    }

    /// Whether a version is in the range.
    pub fn contains(&self, version: &Version) -> bool {
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
    use super::VersionRange;

    fn contains(range: &str, version: &str) -> bool {
        VersionRange::parse(range)
            .expect("a range")
            .contains(&version.parse().expect("a version"))
    }

    #[test]
    fn contains_agrees_with_npm() {
        let cases = [
            ("^19.0.0", "19.3.1", true),
            ("^19.0.0", "20.0.0", false),
            ("^0.1.0", "0.1.9", true),
            ("^0.1.0", "0.2.0", false),
            (">=0.1.0", "0.1.0", true),
            (">=0.1.0", "1.0.0", true),
            (">=0.2.0", "0.1.9", false),
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
            assert_eq!(contains(range, version), expected, "{version} in {range}");
        }
    }

    #[test]
    fn parse_rejects_invalid_ranges() {
        for text in ["", " ", "latest", "^19.0.0 ||", "1.0.0 - 2.0.0", "workspace:*"] {
            assert!(VersionRange::parse(text).is_none(), "{text:?}");
        }
    }
}
