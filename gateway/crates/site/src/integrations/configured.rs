//! What the configuration says about integrations: their paths, and what sections know of them.

use serde_json::{Map, Value, json};

use colonnade_config::Config;
use colonnade_config::integrations::{Partner, Signup};
use colonnade_model::pattern::RequestPath;

/// The path of sign-up, here and at the backend.
pub(super) const SIGNUP: &str = "/functions/v1/signup";

/// The paths of sign-up begin with this.
const SIGNUP_PREFIX: &str = "/functions/";

/// The paths of links to partners begin with this.
pub(super) const PARTNER_PREFIX: &str = "/go/";

/// What the paths of the integrations that are configured begin with: none of them is a page.
pub(crate) fn prefixes(config: &Config) -> impl Iterator<Item = &'static str> {
    let integrations = &config.integrations;
    let partner = (!integrations.partners.is_empty()).then_some(PARTNER_PREFIX);
    let signup = integrations.signup.as_ref().map(|_| SIGNUP_PREFIX);
    partner.into_iter().chain(signup)
}

/// Whether people follow links to this path: an unknown one leads to the not-found document.
pub(crate) fn is_link(path: &RequestPath) -> bool {
    path.segments().next() == Some(PARTNER_PREFIX.trim_matches('/'))
}

/// What sections know of the integrations that are configured: `site.integrations`.
pub(crate) fn for_sections(config: &Config) -> Value {
    let signup = config.integrations.signup.as_ref().map(signup_for_sections);
    let partner = config.integrations.fallback_partner();
    let partner = partner.map(|(id, partner)| partner_for_sections(id, partner));
    let entries = [("signup", signup), ("partner", partner)].into_iter();
    let entries = entries.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(entries.collect::<Map<_, _>>())
}

/// The origins to which a response to a form may redirect, besides that of the site.
pub(crate) fn form_targets(config: &Config) -> impl Iterator<Item = String> {
    let signup = config.integrations.signup.iter();
    let hosts = signup.flat_map(|signup| &signup.allowed_redirect_hosts);
    hosts.map(|host| format!("https://{host}"))
}

/// What sections know of sign-up.
fn signup_for_sections(signup: &Signup) -> Value {
    json!({
        "page": signup.form_path,
        "success": signup.success_path,
        "host": signup.backend.host(),
        "name": signup.name,
        "signInUrl": signup.sign_in_url.as_ref().map(url::Url::as_str),
        "redirectHosts": signup.allowed_redirect_hosts,
    })
}

/// What sections know of the partner that visitors are sent to when sign-up is unavailable.
fn partner_for_sections(id: &str, partner: &Partner) -> Value {
    json!({
        "id": id,
        "name": partner.name,
        "host": partner.url.host_str(),
        "url": partner.url.as_str(),
    })
}
