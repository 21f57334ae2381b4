//! The boot payload: the JSON data block from which the shell starts.

use std::collections::BTreeMap;
use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::config::Config;
use crate::deployment::{PageAnswer, SlotAnswer};
use crate::release::SocialImage;

/// The boot payload. It names the page's section and the shell's slots alone, so it does not grow with the number of
/// sections.
#[derive(Serialize)]
pub(super) struct Boot<'a> {
    /// The deployment's number.
    pub(super) deployment: u64,
    /// What the site says about itself.
    pub(super) site: Value,
    /// The page to show; `None` is the not-found page.
    pub(super) page: Option<&'a PageAnswer>,
    /// What fills the shell's named places.
    pub(super) slots: &'a BTreeMap<String, Arc<SlotAnswer>>,
    /// How failures are reported.
    pub(super) reports: &'a Reports,
    /// What is shown where a page is shared; its file is a URL path.
    #[serde(rename = "socialImage", skip_serializing_if = "Option::is_none")]
    pub(super) social_image: Option<&'a SocialImage>,
    /// The page, where it is rendered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) view: Option<&'a RawValue>,
    /// The form that was refused, where the document answers one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) form: Option<&'a Form>,
}

/// How the shell reports failures.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Reports {
    /// The share of failures to be reported, of 100.
    pub(super) sample_percent: u8,
}

/// A form that was posted and refused.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Form {
    /// Path of the page that shows it; the document's own address is the one that was posted to.
    pub(crate) page: String,
    /// Why, in words.
    pub(crate) error: String,
    /// The e-mail address that was typed; never the password. Empty for somebody under age.
    #[serde(serialize_with = "exposed")]
    pub(crate) email: SecretString,
    /// Whether sign-up is out of reach, so that the page may offer the partner.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unreachable: bool,
    /// Whether it was refused because of the age that was stated, so that the page may send the visitor away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) under_age: bool,
}

/// Writes a secret into the one page that its owner gets back.
fn exposed<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

/// What the site says about itself, as sections see it.
pub(crate) struct SiteFacts {
    /// The site's name.
    pub(super) brand: Arc<str>,
    /// The public origin.
    pub(super) origin: String,
    facts: Value,
}

impl SiteFacts {
    /// The facts this configuration states.
    pub(crate) fn new(config: &Config) -> Self {
        let site = &config.site;
        let hosts = config
            .signup
            .as_ref()
            .map(|signup| signup.redirect_hosts.as_slice());
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
            "logsAddresses": config.telemetry.addresses,
            "navigation": config.navigation,
            "signup": {
                "host": backend,
                "redirectHosts": hosts.unwrap_or_default(),
                "page": config.signup_pages.page,
                "success": config.signup_pages.success,
            },
            "partner": partner,
        });
        Self {
            brand: Arc::clone(&site.brand),
            origin: site.origin.as_str().to_owned(),
            facts,
        }
    }

    /// The facts of any day.
    pub(crate) fn value(&self) -> &Value {
        &self.facts
    }

    /// The facts on a day.
    pub(super) fn on(&self, today: &str) -> Value {
        let mut facts = self.facts.clone();
        facts["today"] = json!(today);
        facts
    }
}
