//! Sign-up: checking what a visitor typed and forwarding it to the backend.
//!
//! The order is deliberate: whatever is refused here is refused before anything is sent. What was typed lives in
//! secret types from the moment it is read, and goes nowhere but to the backend.

mod body;
mod breaker;
mod fields;
mod forward;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod outcome;
mod places;
mod rates;
mod redirect;

pub(crate) use forward::{Backend, BackendError};

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use crate::config::{Config, CurrentSignupLimits, SignupLimits};
use crate::deployment::Snapshot;
use crate::document::{Asked, Documents, Form};
use crate::metrics::SignupMetrics;
use crate::net::{Client, RequestBody};
use crate::origin;
use crate::pattern::RequestPath;
use crate::reply::{FromDeployment, Peer, Reply, RequestId, client, json, redirect, retry_after};
use crate::rescue::{Audience, Error, rescue};
use crate::store::Store;
use crate::visit::Visit;
use body::{Format, Typed};
use fields::FieldError;
use outcome::Counted;
use rates::Rates;
use redirect::Redirects;

/// What sign-up needs, made once.
pub(crate) struct Signups {
    backend: Option<Backend>,
    limits: CurrentSignupLimits,
    rates: Rates,
    metrics: SignupMetrics,
    redirects: Redirects,
    page: String,
    success: String,
    scheme: String,
    /// The site's name.
    brand: Arc<str>,
}

/// Why a sign-up fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignupError {
    #[error("Sign-up only works from this site's own pages.")]
    CrossOrigin,
    #[error("Please send the form as JSON or as a web form.")]
    MediaType,
    #[error("What was sent is too long.")]
    TooLarge,
    #[error("What was sent did not arrive in time.")]
    Stalled,
    #[error("What was sent could not be read.")]
    Malformed,
    #[error("The field {0} is missing.")]
    Missing(&'static str),
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("{words}")]
    Refused {
        /// The backend's status, where it is an error's.
        status: StatusCode,
        /// The backend's words, or ours where it has none.
        words: String,
    },
    #[error("{FAILED}")]
    Unreachable(StatusCode),
    /// The backend was out of reach so often that it is left alone for so long.
    #[error("{FAILED}")]
    Resting(Duration),
    #[error("There were too many sign-ups from your connection. Please wait a minute and try again.")]
    TooOften {
        /// Until the next may pass.
        wait: Duration,
        /// Whether a form is answered with its page; another time a plain one must do.
        has_page: bool,
    },
    #[error("Too many people are signing up just now. Please wait a minute and try again.")]
    Crowded {
        /// Until the next may pass.
        wait: Duration,
        /// Whether a form is answered with its page; another time a plain one must do.
        has_page: bool,
    },
    #[error("Too many people are signing up just now. Please try again in a moment.")]
    Busy,
}

/// What a visitor reads when there is nothing better to say.
const FAILED: &str = "Signup failed. Please try again.";

impl SignupError {
    /// The status it answers with.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::CrossOrigin => StatusCode::FORBIDDEN,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Stalled => StatusCode::REQUEST_TIMEOUT,
            Self::Malformed | Self::Missing(_) => StatusCode::BAD_REQUEST,
            Self::Field(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Refused { status, .. } | Self::Unreachable(status) => *status,
            Self::TooOften { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Resting(_) | Self::Crowded { .. } | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Whether sign-up is out of reach, so that the visitor may be taken to the partner.
    pub(crate) fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Resting(_))
    }

    /// Whether a form is answered with its page, which may take a render.
    fn has_page(&self) -> bool {
        match self {
            Self::TooOften { has_page, .. } | Self::Crowded { has_page, .. } => *has_page,
            _ => true,
        }
    }

    /// Whether the visitor stated an age that is sent away.
    fn is_under_age(&self) -> bool {
        matches!(self, Self::Field(FieldError::UnderAge))
    }
}

/// Who sent a form, as far as it says.
struct Sender {
    client: Option<Client>,
    email: SecretString,
}

impl Signups {
    /// Sign-up as this configuration describes it.
    pub(crate) fn new(config: &Config, metrics: SignupMetrics) -> Result<Self, BackendError> {
        let signup = config.signup.as_ref();
        let hosts = signup.map(|signup| signup.redirect_hosts.clone());
        let limits = Arc::new(ArcSwap::from_pointee(config.signup_limits()));
        let backend = signup.map(|signup| Backend::new(signup, &limits, &metrics));
        Ok(Self {
            backend: backend.transpose()?,
            rates: Rates::new(Arc::clone(&limits)),
            limits,
            metrics,
            redirects: Redirects::new(&config.site.origin, hosts.unwrap_or_default()),
            page: config.signup_pages.page.clone(),
            success: config.signup_pages.success.clone(),
            scheme: config.site.origin.scheme().to_owned(),
            brand: Arc::clone(&config.site.brand),
        })
    }

    /// From now on sign-ups are held to these limits; what is used up by then stays used up.
    pub(crate) fn limit(&self, limits: SignupLimits) {
        self.limits.store(Arc::new(limits));
    }

    /// Answers a sign-up: a script with JSON, a form with a redirect or with its page.
    pub(crate) async fn answer(
        &self,
        documents: &Documents,
        store: &dyn Store,
        snapshot: &Snapshot,
        visit: Option<&Visit<'_>>,
        request: &Parts,
        body: RequestBody,
    ) -> Reply {
        let format = request.headers.get(CONTENT_TYPE).and_then(Format::of);
        let mut sender = Sender {
            client: client(&request.extensions),
            email: SecretString::default(),
        };
        // Counted also where the visitor leaves before there is an outcome.
        let counted = Counted::new(&self.metrics);
        let outcome = self.handle(request, body, format, &mut sender.email).await;
        counted.ended(&outcome);
        if format == Some(Format::Form) {
            return match outcome {
                Ok(target) => self.lead_on(snapshot, target.as_deref()),
                Err(error) => {
                    self.show_page(documents, store, snapshot, visit, error, sender)
                        .await
                }
            };
        }
        match outcome {
            Ok(Some(target)) => json(StatusCode::OK, &json!({ "redirectUrl": target })),
            Ok(None) => json(StatusCode::OK, &json!({})),
            Err(error) => rescue(&error.into(), Audience::Script),
        }
    }

    /// Does the work; `email` is filled in as soon as it is known, for the page that shows an error.
    async fn handle(
        &self,
        head: &Parts,
        body: RequestBody,
        format: Option<Format>,
        email: &mut SecretString,
    ) -> Result<Option<String>, SignupError> {
        if !origin::is_same(&head.uri, &head.headers, &self.scheme) {
            return Err(SignupError::CrossOrigin);
        }
        let format = format.ok_or(SignupError::MediaType)?;
        let admitted = match head.extensions.get() {
            Some(Peer(address)) => self.rates.admit(Client::at(*address), format == Format::Form),
            None => Ok(()),
        };
        // Only a page shows again what was typed; nothing else is read of who is refused.
        if let Err(error) = admitted {
            if error.has_page()
                && let Ok(body) = body::read(&head.headers, body).await
                && let Ok(typed) = Typed::parse(format, body.expose_secret())
            {
                *email = typed.email_text();
            }
            return Err(error);
        }
        let body = body::read(&head.headers, body).await?;
        let typed = Typed::parse(format, body.expose_secret())?;
        drop(body);
        *email = typed.email_text();
        let fields = typed.check()?;
        let backend = self.backend.as_ref();
        let backend = backend.ok_or(SignupError::Unreachable(StatusCode::SERVICE_UNAVAILABLE))?;
        let target = backend.send(&fields, head.extensions.get::<RequestId>()).await?;
        Ok(target.and_then(|target| self.redirects.admit(&target)))
    }

    fn lead_on(&self, snapshot: &Snapshot, target: Option<&str>) -> Reply {
        let target = target.unwrap_or(&self.success);
        redirect(StatusCode::SEE_OTHER, target)
            .unwrap_or_else(|| rescue(&Error::NotFound, Audience::person(snapshot, &self.brand)))
    }

    async fn show_page(
        &self,
        documents: &Documents,
        store: &dyn Store,
        snapshot: &Snapshot,
        visit: Option<&Visit<'_>>,
        error: SignupError,
        sender: Sender,
    ) -> Reply {
        let Some(visit) = visit else {
            return rescue(&Error::NothingLive, Audience::person(snapshot, &self.brand));
        };
        if !error.has_page() {
            return rescue(&error.into(), Audience::person(snapshot, &self.brand));
        }
        let path = RequestPath::parse(&self.page).ok();
        let page = path.as_ref().and_then(|path| visit.set.page(path));
        let Sender { client, email } = sender;
        let under_age = error.is_under_age();
        let form = Form {
            page: self.page.clone(),
            error: error.to_string(),
            // Somebody who is sent away gets nothing back of what was typed.
            email: if under_age { SecretString::default() } else { email },
            unreachable: error.is_unreachable(),
            under_age,
        };
        let asked = Asked {
            store,
            visit,
            page,
            path: path.as_ref(),
            client,
        };
        let mut reply = documents.refused(asked, error.status(), &form).await;
        visit.remember(&mut reply, self.scheme == "https");
        if let Some(wait) = error.wait() {
            retry_after(&mut reply, wait);
        }
        reply.extensions_mut().insert(FromDeployment(visit.set.number()));
        reply
    }
}
