//! Integrations: what the gateway does for one kind of site. Each is off unless its table of the
//! configuration exists: then its paths are like any other that the gateway reserves.

#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzzing;
mod partner;
mod signup;

pub use signup::BackendError;

use std::sync::Arc;

use prometheus_client::registry::Registry;
use serde_json::{Map, Value};

use colonnade_config::Config;
use colonnade_model::pattern::RequestPath;
use colonnade_web::router::Route;

use crate::document::Documents;
use crate::routes::Endpoint;
use signup::{SignupHandler, SignupMetrics};

/// The integrations of a site.
pub(crate) struct Integrations {
    /// If sign-up is configured.
    signup: Option<SignupHandler>,
}

/// The metrics of integrations.
#[derive(Clone, Default)]
pub struct IntegrationMetrics {
    signups: SignupMetrics,
}

impl Integrations {
    /// The integrations that this configuration describes.
    pub(crate) fn new(
        config: &Config,
        documents: &Arc<Documents>,
        metrics: &IntegrationMetrics,
    ) -> Result<Self, BackendError> {
        let signup = config.integrations.signup.as_ref();
        let handler = |signup| SignupHandler::new(signup, &config.site.origin, documents, &metrics.signups);
        Ok(Self {
            signup: signup.map(handler).transpose()?,
        })
    }

    /// Applies what a reload of the configuration changes.
    pub(crate) fn reload(&self, config: &Config) {
        if let (Some(handler), Some(limits)) = (&self.signup, config.integrations.limits()) {
            handler.set_limits(limits);
        }
    }
}

impl IntegrationMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        self.signups.register(registry);
    }
}

/// The routes of the integrations that are configured.
pub(crate) fn routes(config: &Config) -> Vec<Route<Endpoint>> {
    let integrations = &config.integrations;
    let signup = integrations.signup.as_ref().map(|_| signup::route());
    let has_partners = !integrations.partners.is_empty();
    let partner = has_partners.then(partner::route);
    signup.into_iter().chain(partner).collect()
}

/// What the paths of the integrations that are configured begin with: none of them is a page.
pub(crate) fn prefixes(config: &Config) -> impl Iterator<Item = &'static str> {
    let integrations = &config.integrations;
    let partner = (!integrations.partners.is_empty()).then_some(partner::PREFIX);
    let signup = integrations.signup.as_ref().map(|_| signup::PREFIX);
    partner.into_iter().chain(signup)
}

/// Whether people follow links to this path: an unknown one leads to the not-found document.
pub(crate) fn is_link(path: &RequestPath) -> bool {
    partner::is_link(path)
}

/// What sections know of the integrations that are configured: `site.integrations`.
pub(crate) fn for_sections(config: &Config) -> Value {
    let signup = config.integrations.signup.as_ref().map(signup::for_sections);
    let partner = config.integrations.fallback_partner();
    let partner = partner.map(|(id, partner)| partner::for_sections(id, partner));
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

#[cfg(test)]
mod tests {
    use colonnade_model::pattern::RequestPath;

    use super::{partner, signup};
    use crate::routes::RouteTable;

    #[test]
    fn route_is_found_only_with_integration() {
        for (routes, signup, partner) in [
            (Vec::new(), "unmatched", "unmatched"),
            (vec![signup::route()], "/functions/v1/signup", "unmatched"),
            (vec![partner::route()], "unmatched", "/go/:partner"),
        ] {
            let table = RouteTable::new(routes);
            let name = |path| {
                let path = RequestPath::parse(path).expect("a valid path");
                table.find(&path).0.name.to_string()
            };
            assert_eq!(name("/functions/v1/signup"), signup);
            assert_eq!(name("/go/a%20b"), partner);
            assert_eq!(name("/go/a/"), "unmatched");
        }
    }
}
