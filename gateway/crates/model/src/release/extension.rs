//! Extension points, and what sections contribute to them.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::release::{SHELL, is_name};

/// The highest version of an extension point.
pub(super) const MAX_VERSION: u32 = 999_999_999;

/// A place that any section can fill: of pages, or of the shell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtensionPoint {
    /// The name of the section that opens it, or `shell`, a slash, and its name there.
    pub id: String,
    /// The version of the props that it passes, from 1 to [`MAX_VERSION`].
    pub version: u32,
    /// How many extensions are shown at most.
    pub max: u8,
    /// Props to test extensions with.
    pub examples: Vec<Map<String, Value>>,
}

impl ExtensionPoint {
    /// What sections fill it by. The point must be valid.
    pub fn reference(&self) -> PointReference {
        PointReference(format!("{}@{}", self.id, self.version).into())
    }
}

/// A section's content for an extension point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extension {
    /// The point that it fills.
    pub point: PointReference,
    /// Its place among the extensions of the point. A lower one comes first, then the section's name
    /// decides.
    #[serde(default)]
    pub order: i64,
    /// Its assets, in addition to the section's own.
    pub assets: Vec<String>,
    /// The shared packages that it loads at first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
}

/// The ID of an extension point with its version, such as `directory/city-aside@1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct PointReference(Arc<str>);

/// A text that is no reference of an extension point.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not a reference of an extension point: expected the name of a section or `shell`, a slash, the point's name, `@` \
     and its version, such as `directory/city-aside@1`"
)]
pub struct InvalidReference(String);

impl PointReference {
    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The ID, without the version.
    pub fn id(&self) -> &str {
        self.0.split_once('@').map_or("", |(id, _)| id)
    }

    /// The version.
    pub fn version(&self) -> u32 {
        let version = self
            .0
            .split_once('@')
            .and_then(|(_, version)| version.parse().ok());
        version.unwrap_or_default()
    }

    /// Whether it is a point of the shell, which every document has.
    pub fn is_of_shell(&self) -> bool {
        self.owner() == SHELL
    }

    /// The name of the section that opens the point, or `shell`.
    pub fn owner(&self) -> &str {
        point_owner(&self.0)
    }
}

impl FromStr for PointReference {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, InvalidReference> {
        if is_reference(text) {
            Ok(Self(text.into()))
        } else {
            Err(InvalidReference(text.to_owned()))
        }
    }
}

impl TryFrom<String> for PointReference {
    type Error = InvalidReference;

    fn try_from(text: String) -> Result<Self, InvalidReference> {
        text.parse()
    }
}

impl Borrow<str> for PointReference {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PointReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for PointReference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// The name of the section that opens a point, or `shell`, from the point's ID or reference.
pub fn point_owner(point: &str) -> &str {
    point.split_once('/').map_or("", |(owner, _)| owner)
}

/// Whether a string is the ID of an extension point: two names, joined by a slash.
pub fn is_point_id(text: &str) -> bool {
    text.split_once('/')
        .is_some_and(|(owner, name)| is_name(owner) && is_name(name))
}

fn is_reference(text: &str) -> bool {
    text.split_once('@').is_some_and(|(id, version)| {
        // Without a plus sign or a zero at the start: each version has one text.
        let is_plain = version.starts_with(|c: char| matches!(c, '1'..='9'));
        is_point_id(id) && is_plain && version.parse().is_ok_and(|version: u32| version <= MAX_VERSION)
    })
}
