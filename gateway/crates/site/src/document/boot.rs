//! The boot payload: the JSON data block from which the shell starts in the browser.

use std::collections::BTreeMap;
use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use colonnade_config::Config;
use colonnade_model::release::SocialImage;
use colonnade_store::loaded::{PageManifest, SlotManifest};

/// The boot payload. It contains only the page's section and the shell's slots, so it does not grow
/// with the number of sections.
#[derive(Serialize)]
pub(super) struct Boot<'a> {
    /// The name of the set of releases.
    pub(super) deployment: &'a str,
    /// The facts about the site ([`SiteFacts`]).
    pub(super) site: Value,
    /// The page; `None` for the not-found page.
    pub(super) page: Option<&'a PageManifest>,
    /// The sections in the shell's slots.
    pub(super) slots: &'a BTreeMap<String, Arc<SlotManifest>>,
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
#[serde(rename_all = "camelCase")]
pub struct Form {
    /// The path of the page with the form. It differs from the document's URL, which is the one the
    /// form was posted to.
    pub page: String,
    /// The error message for the visitor.
    pub error: String,
    /// The e-mail address that was typed, never the password. Empty if the visitor is under age.
    #[serde(serialize_with = "serialize_secret")]
    pub email: SecretString,
    /// Whether the sign-up backend is unreachable, so that the page can offer the partner.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unreachable: bool,
    /// Whether the stated age is below the minimum, so that the page can reject the visitor.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub under_age: bool,
}

/// Serializes a secret: the page goes only to the visitor who typed it.
fn serialize_secret<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

/// The facts about the site that sections get.
pub struct SiteFacts {
    /// The site's name.
    pub(super) brand: Arc<str>,
    /// The public origin.
    pub(super) origin: String,
    facts: Value,
}

impl SiteFacts {
    /// The facts of the site that this configuration describes.
    pub fn new(config: &Config) -> Self {
        let site = &config.site;
        let hosts = config
            .signup
            .as_ref()
            .map(|signup| signup.allowed_redirect_hosts.as_slice());
        let backend = config.signup.as_ref().map(|signup| signup.backend.host());
        let partner = config.signup_partner().map(|(id, partner)| {
            json!({
                "id": id,
                "name": partner.name,
                "host": partner.url.host_str(),
                "url": partner.url.as_str(),
            })
        });
        let facts = json!({
            "brand": &*site.brand,
            "origin": site.origin.as_str(),
            "contact": site.contact,
            "legalEntity": site.legal_entity,
            "processingCountry": site.processing_country,
            "retention": site.retention,
            "governingLaw": site.governing_law,
            "logsClientIp": config.telemetry.log_client_ip,
            "navigation": config.navigation,
            "signup": {
                "host": backend,
                "redirectHosts": hosts.unwrap_or_default(),
                "page": config.signup_form_path(),
                "success": config.signup_success_path(),
            },
            "partner": partner,
        });
        Self {
            brand: Arc::clone(&site.brand),
            origin: site.origin.as_str().to_owned(),
            facts,
        }
    }

    /// The facts without the current day.
    pub fn value(&self) -> &Value {
        &self.facts
    }

    /// The facts with the current day.
    pub(super) fn on(&self, today: &str) -> Value {
        let mut facts = self.facts.clone();
        facts["today"] = json!(today);
        facts
    }
}
