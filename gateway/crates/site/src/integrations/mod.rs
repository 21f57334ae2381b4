//! Integrations: what the gateway does for one kind of site. Each is off unless its table of the
//! configuration exists: then its paths are like any other that the gateway reserves.

mod configured;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzzing;
mod routes;
mod signup;

pub(crate) use configured::{for_sections, form_targets, is_link, prefixes};
pub(crate) use routes::routes;
pub use signup::BackendError;

use std::sync::Arc;

use prometheus_client::registry::Registry;

use colonnade_config::Config;

use crate::document::Documents;
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
