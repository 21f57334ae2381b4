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
pub(super) mod fuzz;
mod metrics;
mod rate_limits;
mod redirect;

pub use backend::BackendError;
pub(super) use metrics::SignupMetrics;

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use colonnade_config::Origin;
use colonnade_config::integrations::{CurrentSignupLimits, Signup, SignupLimits};
use colonnade_model::pattern::RequestPath;
use colonnade_platform::deployment::Snapshot;
use colonnade_web::body::RequestBody;
use colonnade_web::client::ClientKey;
use colonnade_web::origin;
use colonnade_web::problem::{Audience, HttpError, Problem as _, respond};
use colonnade_web::request::Head;
use colonnade_web::response::{Response, ServedBy, json, redirect, set_retry_after};

use crate::call::Call;
use crate::deployment_selection::DeploymentSelection;
use crate::document::{Documents, Form, RequestedPage};
use crate::error::{SiteError, visitor, visitor_from};
use backend::Backend;
use body::{Format, SubmittedFields};
use error::SignupError;
use metrics::OutcomeRecorder;
use rate_limits::SignupRateLimiter;
use redirect::AllowedRedirects;

/// Handles sign-ups.
pub(super) struct SignupHandler {
    /// Shows errors of forms.
    documents: Arc<Documents>,
    backend: Backend,
    limits: CurrentSignupLimits,
    rate_limiter: SignupRateLimiter,
    metrics: SignupMetrics,
    redirects: AllowedRedirects,
    form_path: String,
    success_path: String,
    scheme: String,
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
    /// The handler that this configuration describes, of the site with this origin.
    pub(super) fn new(
        signup: &Signup,
        origin: &Origin,
        documents: &Arc<Documents>,
        metrics: &SignupMetrics,
    ) -> Result<Self, BackendError> {
        let limits = Arc::new(ArcSwap::from_pointee(signup.limits()));
        Ok(Self {
            documents: Arc::clone(documents),
            backend: Backend::new(signup, &limits, metrics)?,
            rate_limiter: SignupRateLimiter::new(Arc::clone(&limits)),
            limits,
            metrics: metrics.clone(),
            redirects: AllowedRedirects::new(origin, signup.allowed_redirect_hosts.clone()),
            form_path: signup.form_path.clone(),
            success_path: signup.success_path.clone(),
            scheme: origin.scheme().to_owned(),
        })
    }

    /// Changes the limits. What was used of the old limits stays used.
    pub(super) fn set_limits(&self, limits: SignupLimits) {
        self.limits.store(Arc::new(limits));
    }

    /// Handles a sign-up. Scripts get JSON; forms get a redirect, or the form's page with an error.
    pub(super) async fn handle(&self, call: Call<'_>) -> Response {
        let Call {
            snapshot,
            head,
            cookies,
            body,
            ..
        } = call;
        let format = head.headers.get(CONTENT_TYPE).and_then(Format::from_header);
        // Also counts sign-ups whose client closes the connection before there is a result.
        let recorder = OutcomeRecorder::new(&self.metrics);
        let result = self.sign_up(head, body, format).await;
        recorder.record(result.as_ref().map_err(|rejected| &rejected.error));
        match (result, format) {
            (Ok(target), Some(Format::Form)) => self.redirect_to(snapshot, target.as_deref()),
            (Err(rejected), Some(Format::Form)) => {
                let path = RequestPath::parse(&self.form_path).ok();
                let selection = DeploymentSelection::new(snapshot, cookies, path.as_ref());
                let client = Some(head.client.key());
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
        head: &Head,
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
        let limited = self
            .rate_limiter
            .try_acquire(head.client.key(), format == Format::Form);
        if let Err(error) = limited {
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
        let target = self.submit(fields, head.client.key()).await;
        target.map_err(|error| Rejected { error, email })
    }

    /// Validates what was submitted, and sends it to the backend.
    async fn submit(
        &self,
        fields: SubmittedFields,
        client: ClientKey,
    ) -> Result<Option<String>, SignupError> {
        let fields = fields.validate()?;
        let target = self.backend.sign_up(&fields, client).await?;
        Ok(target.and_then(|target| self.redirects.check(&target)))
    }

    fn redirect_to(&self, snapshot: &Snapshot, target: Option<&str>) -> Response {
        let target = target.unwrap_or(&self.success_path);
        redirect(StatusCode::SEE_OTHER, target).unwrap_or_else(|| {
            let site = self.documents.site();
            respond(&HttpError::NotFound, visitor(snapshot, &site))
        })
    }

    /// Responds with the form's page, which shows the error.
    async fn form_page(
        &self,
        snapshot: &Snapshot,
        selection: Option<DeploymentSelection>,
        rejected: Rejected,
        client: Option<ClientKey>,
    ) -> Response {
        let site = self.documents.site();
        let error = &rejected.error;
        let Some(selection) = selection else {
            return respond(&SiteError::NothingLive, visitor(snapshot, &site));
        };
        if !error.shows_page() {
            let back = Some(self.form_path.clone());
            return respond(error, visitor_from(snapshot, &site, back));
        }
        let path = RequestPath::parse(&self.form_path).ok();
        let page = path.as_ref().and_then(|path| selection.deployment.page(path));
        let page = page.filter(|page| !selection.deployment.is_unavailable(&page.section.name));
        let requested = path.as_ref().zip(page).map(|(path, page)| RequestedPage {
            page,
            path,
            search: String::new(),
        });
        let request = self.documents.request(&selection, requested, client);
        let (status, wait) = (error.status(), error.retry_after());
        let form = self.form(rejected);
        let mut response = self.documents.respond_to_form(&request, status, form).await;
        selection.set_headers(&mut response, self.scheme == "https");
        if let Some(wait) = wait {
            set_retry_after(&mut response, wait);
        }
        ServedBy::of(&mut response).deployment = Some(selection.set().clone());
        response
    }

    /// What the form's page gets.
    fn form(&self, Rejected { error, email }: Rejected) -> Form {
        let code = error.code();
        // The page shows nothing of what a visitor under age typed.
        let email = if code == Some(error::UNDER_AGE) {
            SecretString::default()
        } else {
            email
        };
        Form {
            page: self.form_path.clone(),
            code,
            message: error.to_string(),
            values: BTreeMap::from([("email", email)]),
        }
    }
}
