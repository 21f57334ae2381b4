//! The values of the API: their OpenAPI schemas, and how requests are parsed. A value that parses
//! matches its schema.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use utoipa::ToSchema;

use crate::release::{is_name, is_point_id, is_version};

/// The maximum length of a reason in characters.
const MAX_REASON: usize = 1000;

/// The largest number of a deployment, a revision or a log entry: JSON numbers are exact up to it
/// (RFC 8259, section 6).
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// An integer as JSON Schema defines it: a number without a fraction, such as `50` and `50.0` (Core
/// 2020-12, section 4.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer(pub i64);

/// The name of a section, or `shell`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(pattern = r"^[a-z][a-z0-9-]{0,31}$")]
pub struct Name(pub String);

/// The ID of an extension point, without a version.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(pattern = r"^[a-z][a-z0-9-]{0,31}/[a-z][a-z0-9-]{0,31}$")]
pub struct PointId(pub String);

/// The version of a release, a semantic version.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(
    max_length = 128,
    pattern = r"^(0|[1-9][0-9]{0,18})(\.(0|[1-9][0-9]{0,18})){2}(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$"
)]
pub struct Version(pub String);

/// The versions of the shell and of each section, by name.
#[derive(ToSchema)]
pub struct Releases(pub BTreeMap<Name, Version>);

/// The number of a deployment. Numbers are never reused and only increase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(try_from = "Integer")]
#[schema(minimum = 1, maximum = 9_007_199_254_740_991_u64)]
pub struct Number(pub u64);

/// The share of visitors who get the candidate, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(try_from = "Integer")]
#[schema(minimum = 0, maximum = 99)]
pub struct Percent(pub u8);

/// The reason for a change, in one line, without characters that change the direction of the text
/// around it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(
    max_length = 1000,
    pattern = r"^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$"
)]
pub struct Reason(pub String);

/// A release, as `name@version`.
#[derive(ToSchema)]
#[schema(pattern = r"^[a-z][a-z0-9-]{0,31}@[^@]+$")]
pub struct ReleaseName(pub String);

/// A version, or null to remove the section.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
pub struct VersionOrNull(pub Option<Version>);

/// The version to deploy of each named section; null removes the section. Other sections keep their
/// releases.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
pub struct RequestedReleases(pub BTreeMap<Name, VersionOrNull>);

impl RequestedReleases {
    /// The requested version of each section, by name.
    pub fn into_versions(self) -> BTreeMap<String, Option<String>> {
        let releases = self.0.into_iter();
        let text = |Version(version)| version;
        releases
            .map(|(Name(name), VersionOrNull(version))| (name, version.map(text)))
            .collect()
    }
}

/// Deserializes a member that may be absent, but not null. Use it with `#[serde(default)]`.
pub fn optional<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        let integer = number.as_i64().or_else(|| whole(number.as_f64()?));
        integer
            .map(Self)
            .ok_or_else(|| Error::custom(format!("expected an integer, not {number}")))
    }
}

impl TryFrom<Integer> for Number {
    type Error = &'static str;

    fn try_from(Integer(number): Integer) -> Result<Self, Self::Error> {
        let number = u64::try_from(number)
            .ok()
            .filter(|number| (1..=MAX_INTEGER).contains(number));
        number
            .map(Self)
            .ok_or("the number of a deployment must be an integer from 1 to 9007199254740991")
    }
}

impl TryFrom<Integer> for Percent {
    type Error = &'static str;

    fn try_from(Integer(percent): Integer) -> Result<Self, Self::Error> {
        let percent = u8::try_from(percent).ok().filter(|percent| *percent < 100);
        percent.map(Self).ok_or(
            "`percent` must be an integer from 0 to 99; omit it to make the deployment live for all visitors",
        )
    }
}

/// Whether a character ends a line, or changes the direction of the text after it (Unicode's
/// property `Bidi_Control`).
pub fn breaks_line(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl TryFrom<String> for Reason {
    type Error = String;

    fn try_from(reason: String) -> Result<Self, Self::Error> {
        if reason.chars().count() > MAX_REASON || reason.chars().any(breaks_line) {
            return Err(format!(
                "`reason` must be one line of at most {MAX_REASON} characters, without controls of the text direction"
            ));
        }
        Ok(Self(reason))
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        if is_name(&name) {
            return Ok(Self(name));
        }
        Err(format!(
            "`{}` is not the name of a section: expected 1 to 32 lowercase letters, digits and hyphens, starting with a letter",
            name.escape_debug()
        ))
    }
}

impl TryFrom<String> for PointId {
    type Error = String;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        if is_point_id(&id) {
            return Ok(Self(id));
        }
        Err(format!(
            "`{}` is not the ID of an extension point: expected the name of a section or `shell`, a slash and the point's name, \
             without a version, such as directory/city-aside",
            id.escape_debug()
        ))
    }
}

impl TryFrom<String> for Version {
    type Error = String;

    fn try_from(version: String) -> Result<Self, Self::Error> {
        if is_version(&version) {
            return Ok(Self(version));
        }
        Err(format!(
            "`{}` is not a version: expected a semantic version of at most 128 characters, such as 1.2.0",
            version.escape_debug()
        ))
    }
}

/// The integer of a number without a fraction. A cast saturates.
fn whole(number: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation)]
    (number.fract() == 0.0).then_some(number as i64)
}
