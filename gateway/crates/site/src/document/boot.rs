//! The boot payload: the JSON data block from which the shell starts in the browser.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use colonnade_model::release::SocialImage;

use crate::resolved_page::{ResolvedExtensions, ResolvedPage};

/// The boot payload. Of all sections, it contains only that of the page and those that fill extension
/// points of the page or the shell, so it does not grow with the number of sections.
#[derive(Serialize)]
pub(super) struct Boot<'a> {
    /// The name of the set of releases.
    pub(super) deployment: &'a str,
    /// What sections know of the site, with the current day ([`super::SiteView`]).
    pub(super) site: Value,
    /// The configuration of each of the sections below that has one, by name.
    pub(super) configs: BTreeMap<&'a str, &'a RawValue>,
    /// The page; `None` for the not-found page.
    pub(super) page: Option<ResolvedPage<'a>>,
    /// The extensions of the shell's points.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) extensions: ResolvedExtensions<'a>,
    /// What the document may do in addition to the strict default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) policy: Vec<String>,
    /// How the shell reports client errors.
    pub(super) reports: &'a ErrorReportSettings,
    /// The image for previews of shared links; its file is a URL path.
    #[serde(rename = "socialImage", skip_serializing_if = "Option::is_none")]
    pub(super) social_image: Option<&'a SocialImage>,
    /// The hydration data of a server-rendered page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) view: Option<&'a RawValue>,
    /// The rejected form, if the document responds to a form post.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) form: Option<&'a Form>,
}

/// How the shell reports client errors.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ErrorReportSettings {
    /// The percentage of errors to report.
    pub(super) sample_percent: u8,
}

/// A form that was posted and rejected.
#[derive(Debug, Serialize)]
pub struct Form {
    /// The path of the page with the form. It differs from the document's URL, which is the one the
    /// form was posted to.
    pub page: String,
    /// What went wrong, if the page shows more than the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The error message for the visitor.
    pub message: String,
    /// What was typed, by field, as far as the page may show it again: never a password.
    #[serde(serialize_with = "serialize_secrets")]
    pub values: BTreeMap<&'static str, SecretString>,
}

/// Serializes secrets: the page goes only to the visitor who typed them.
fn serialize_secrets<S: Serializer>(
    secrets: &BTreeMap<&'static str, SecretString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        secrets
            .iter()
            .map(|(name, secret)| (name, secret.expose_secret())),
    )
}
