//! Sign-up: validates what a visitor typed and forwards it to the backend.
//!
//! A sign-up is rejected before anything is sent, if possible. What was typed is kept in secret
//! types from the moment it is parsed, and is sent only to the backend.

mod backend;
mod body;
mod circuit_breaker;
mod error;
mod fields;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod metrics;
mod rate_limits;
mod redirect;

pub use backend::BackendError;
pub use metrics::SignupMetrics;

use std::sync::Arc;

use arc_swap::ArcSwap;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use colonnade_config::{Config, CurrentSignupLimits, SignupLimits};
use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::Snapshot;
use colonnade_web::body::RequestBody;
use colonnade_web::client::{ClientAddress, ClientKey, client_key};
use colonnade_web::origin;
use colonnade_web::plain_page::PlainFrame;
use colonnade_web::problem::{Audience, HttpError, Problem as _, respond};
use colonnade_web::response::{Response, ServedBy, json, redirect, set_retry_after};

use crate::deployment_selection::DeploymentSelection;
use crate::document::{DocumentRequest, Documents, Form};
use crate::error::{SiteError, visitor, visitor_from};
use backend::Backend;
use body::{Format, SubmittedFields};
use error::SignupError;
use metrics::OutcomeRecorder;
use rate_limits::SignupRateLimiter;
use redirect::AllowedRedirects;

/// Handles sign-ups.
pub(crate) struct SignupHandler {
    /// Shows errors of forms.
    documents: Arc<Documents>,
    backend: Option<Backend>,
    limits: CurrentSignupLimits,
    rate_limiter: SignupRateLimiter,
    metrics: SignupMetrics,
    redirects: AllowedRedirects,
    form_path: String,
    success_path: String,
    scheme: String,
    /// Of the gateway's own pages.
    frame: Arc<PlainFrame>,
}

/// A sign-up that failed.
struct Rejected {
    error: SignupError,
    /// The e-mail address that was typed, for the page that shows the error. Empty if it is not
    /// known.
    email: SecretString,
}

impl From<SignupError> for Rejected {
    fn from(error: SignupError) -> Self {
        let email = SecretString::default();
        Self { error, email }
    }
}

impl SignupHandler {
    /// The handler that this configuration describes.
    pub(crate) fn new(
        config: &Config,
        documents: Arc<Documents>,
        frame: Arc<PlainFrame>,
        metrics: SignupMetrics,
    ) -> Result<Self, BackendError> {
        let signup = config.signup.as_ref();
        let hosts = signup.map(|signup| signup.allowed_redirect_hosts.clone());
        let limits = Arc::new(ArcSwap::from_pointee(config.signup_limits()));
        let backend = signup.map(|signup| Backend::new(signup, &limits, &metrics));
        Ok(Self {
            documents,
            backend: backend.transpose()?,
            rate_limiter: SignupRateLimiter::new(Arc::clone(&limits)),
            limits,
            metrics,
            redirects: AllowedRedirects::new(&config.site.origin, hosts.unwrap_or_default()),
            form_path: config.signup_form_path().to_owned(),
            success_path: config.signup_success_path().to_owned(),
            scheme: config.site.origin.scheme().to_owned(),
            frame,
        })
    }

    /// Changes the limits. What was used of the old limits stays used.
    pub(crate) fn set_limits(&self, limits: SignupLimits) {
        self.limits.store(Arc::new(limits));
    }

    /// Handles a sign-up. Scripts get JSON; forms get a redirect, or the form's page with an error.
    pub(crate) async fn handle(
        &self,
        snapshot: &Snapshot,
        selection: Option<&DeploymentSelection>,
        head: &Parts,
        body: RequestBody,
    ) -> Response {
        let format = head.headers.get(CONTENT_TYPE).and_then(Format::from_header);
        // Also counts sign-ups whose client closes the connection before there is a result.
        let recorder = OutcomeRecorder::new(&self.metrics);
        let result = self.sign_up(head, body, format).await;
        recorder.record(result.as_ref().map_err(|rejected| &rejected.error));
        match (result, format) {
            (Ok(target), Some(Format::Form)) => self.redirect_to(snapshot, target.as_deref()),
            (Err(rejected), Some(Format::Form)) => {
                let client = client_key(&head.extensions);
                self.form_page(snapshot, selection, rejected, client).await
            }
            (Ok(Some(target)), _) => json(StatusCode::OK, &json!({ "redirectUrl": target })),
            (Ok(None), _) => json(StatusCode::OK, &json!({})),
            (Err(rejected), _) => respond(&rejected.error, Audience::Script),
        }
    }

    /// Signs up. Returns the backend's redirect target, if it is allowed.
    async fn sign_up(
        &self,
        head: &Parts,
        body: RequestBody,
        format: Option<Format>,
    ) -> Result<Option<String>, Rejected> {
        if !origin::is_same_origin(&head.uri, &head.headers, &self.scheme) {
            return Err(SignupError::CrossOrigin.into());
        }
        let format = format.ok_or(SignupError::MediaType)?;
        let parse = async {
            let body = body::read(body).await?;
            SubmittedFields::parse(format, body.expose_secret())
        };
        if let Some(ClientAddress(address)) = head.extensions.get()
            && let Err(error) = self
                .rate_limiter
                .try_acquire(ClientKey::new(*address), format == Format::Form)
        {
            // The body of a rate-limited request is read only if the form's page will show the
            // e-mail address again.
            let fields = if error.shows_page() {
                parse.await.ok()
            } else {
                None
            };
            let email = fields.unwrap_or_default().email_text();
            return Err(Rejected { error, email });
        }
        let fields = parse.await?;
        let email = fields.email_text();
        let target = self.submit(fields, client_key(&head.extensions)).await;
        target.map_err(|error| Rejected { error, email })
    }

    /// Validates what was submitted, and sends it to the backend.
    async fn submit(
        &self,
        fields: SubmittedFields,
        client: Option<ClientKey>,
    ) -> Result<Option<String>, SignupError> {
        let fields = fields.validate()?;
        let backend = self.backend.as_ref();
        let backend = backend.ok_or(SignupError::Unreachable(StatusCode::SERVICE_UNAVAILABLE))?;
        let target = backend.sign_up(&fields, client).await?;
        Ok(target.and_then(|target| self.redirects.check(&target)))
    }

    fn redirect_to(&self, snapshot: &Snapshot, target: Option<&str>) -> Response {
        let target = target.unwrap_or(&self.success_path);
        redirect(StatusCode::SEE_OTHER, target)
            .unwrap_or_else(|| respond(&HttpError::NotFound, visitor(snapshot, &self.frame)))
    }

    /// Responds with the form's page, which shows the error.
    async fn form_page(
        &self,
        snapshot: &Snapshot,
        selection: Option<&DeploymentSelection>,
        rejected: Rejected,
        client: Option<ClientKey>,
    ) -> Response {
        let Rejected { error, email } = rejected;
        let Some(selection) = selection else {
            return respond(&SiteError::NothingLive, visitor(snapshot, &self.frame));
        };
        if !error.shows_page() {
            let back = Some(self.form_path.clone());
            return respond(&error, visitor_from(snapshot, &self.frame, back));
        }
        let path = RequestPath::parse(&self.form_path).ok();
        let page = path.as_ref().and_then(|path| selection.deployment.page(path));
        let page = page.filter(|page| !selection.deployment.is_unavailable(&page.section.name));
        let under_age = error.is_under_age();
        let form = Form {
            page: self.form_path.clone(),
            error: error.to_string(),
            // The page shows nothing of what a visitor under age typed.
            email: if under_age { SecretString::default() } else { email },
            unreachable: error.is_unreachable(),
            under_age,
        };
        let request = DocumentRequest::new(selection, page, path.as_ref(), client);
        let mut response = self
            .documents
            .respond_to_form(&request, error.status(), form)
            .await;
        selection.set_headers(&mut response, self.scheme == "https");
        if let Some(wait) = error.retry_after() {
            set_retry_after(&mut response, wait);
        }
        ServedBy::of(&mut response).deployment = Some(selection.set().clone());
        response
    }
}
