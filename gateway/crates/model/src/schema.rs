//! OpenAPI schemas of values that are plain strings and numbers in Rust, for `#[schema(value_type = …)]`.

use std::collections::BTreeMap;

use utoipa::ToSchema;

/// The name of a section, or `shell`.
#[derive(ToSchema)]
#[schema(pattern = r"^[a-z][a-z0-9-]{0,31}$")]
pub struct Name(pub String);

/// The version of a release, a semantic version.
#[derive(ToSchema)]
#[schema(
    max_length = 128,
    pattern = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$"
)]
pub struct Version(pub String);

/// The versions of the shell and of each section, by name.
#[derive(ToSchema)]
pub struct Releases(pub BTreeMap<Name, Version>);

/// The number of a deployment. Numbers are never reused and only increase.
#[derive(ToSchema)]
#[schema(minimum = 1)]
pub struct Number(pub u64);

/// The share of visitors who get the candidate, in percent.
#[derive(ToSchema)]
#[schema(minimum = 0, maximum = 99)]
pub struct Percent(pub u8);

/// The reason for a change, in one line.
#[derive(ToSchema)]
#[schema(max_length = 1000, pattern = r"^[^\u0000-\u001f\u007f-\u009f]*$")]
pub struct Reason(pub String);

/// A release, as `name@version`.
#[derive(ToSchema)]
#[schema(pattern = r"^[a-z][a-z0-9-]{0,31}@[^@]+$")]
pub struct ReleaseName(pub String);

/// A version, or null to remove the section.
#[derive(ToSchema)]
pub struct VersionOrNull(pub Option<Version>);

/// The version to deploy of each named section; null removes the section. Other sections keep their releases.
#[derive(ToSchema)]
pub struct RequestedReleases(pub BTreeMap<String, VersionOrNull>);
