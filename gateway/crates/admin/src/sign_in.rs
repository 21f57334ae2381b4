//! `/api/v1/sign-in`: sign-in of people at an identity provider. It needs no token.
//!
//! A page of the console asks for the provider's URL, and gets the authorization code back. The
//! cookie of an attempt proves that both are in the same browser.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use http::request::Parts;
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use colonnade_identity::{IdTokenProblem, Provider};
use colonnade_web::cookie::{Cookie, Cookies};
use colonnade_web::origin::is_same_origin;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{Response, json};

use crate::access::Credential;
use crate::operation::SignInCall;
use crate::session::SessionDescription;
use crate::{Admin, AdminError, TokenProblem, auth, change, session};

/// Where a provider sends the browser back to, before the provider's name: a page of the console.
const REDIRECT: &str = "/console/sign-in/";

/// The cookie of an attempt, and how long it lasts, in seconds.
const COOKIE: &str = "colonnade-sign-in";
const MAX_AGE: i64 = 600;

/// The identity providers.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct IdentityProviders {
    providers: Vec<IdentityProviderDescription>,
}

/// What a client needs to know to get an ID token.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct IdentityProviderDescription {
    /// The name.
    name: String,
    /// The issuer of its ID tokens.
    #[schema(format = "uri")]
    issuer: String,
    /// Whether people can sign in at the console.
    console: bool,
    /// The client of `colonnade login`; null if it cannot be used.
    #[schema(required)]
    device_client_id: Option<String>,
    /// The scopes to request.
    scopes: Vec<String>,
}

/// An attempt to sign in.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct StartSignIn {
    /// The name of the provider.
    provider: String,
    /// Where the provider sends the browser back to: the URL of `/console/sign-in/<name>`.
    #[schema(format = "uri")]
    redirect_uri: String,
}

/// Where to sign in.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SignInUrl {
    /// The provider's page.
    #[schema(format = "uri")]
    url: String,
}

/// What the provider sent with the browser.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CompleteSignIn {
    /// The name of the provider.
    provider: String,
    /// The same as at the start.
    #[schema(format = "uri")]
    redirect_uri: String,
    /// The authorization code.
    code: String,
    /// The state.
    state: String,
}

/// List the identity providers
#[utoipa::path(
    get, path = "/api/v1/sign-in", tag = "console", operation_id = "listIdentityProviders", security(),
    responses((status = 200, body = IdentityProviders, description = "The providers whose ID tokens are accepted.")),
)]
pub(super) fn list(admin: &Admin) -> Response {
    let access = admin.access.load();
    let providers = access.providers.iter().map(Provider::settings);
    let providers = providers.map(|provider| IdentityProviderDescription {
        name: provider.name.clone(),
        issuer: provider.issuer.clone(),
        console: provider.client_id.is_some(),
        device_client_id: provider.device_client_id.clone(),
        scopes: provider.scopes.clone(),
    });
    let providers = providers.collect();
    json(StatusCode::OK, &IdentityProviders { providers })
}

/// Start to sign in
///
/// Returns the page of an identity provider where a person signs in, and sets a cookie for ten
/// minutes. The request must come from a page of this listener.
#[utoipa::path(
    post, path = "/api/v1/sign-in", tag = "console", operation_id = "startSignIn", security(),
    request_body = StartSignIn,
    responses(
        (status = 200, body = SignInUrl, description = "Where to sign in."),
        (status = 401, description = "The provider does not offer sign-in with a browser."),
        (status = 403, description = "A page of another origin sent the request."),
        (status = 429, description = "The client failed to sign in too often. Retry-After says when to try again."),
        (status = 503, description = "The identity provider cannot be reached. Retry-After says when to try again."),
    ),
)]
pub(super) async fn start(admin: &Admin, call: SignInCall<'_>) -> Result<Response, AdminError> {
    let StartSignIn {
        provider,
        redirect_uri,
    } = change::read_json(call.body).await?;
    let access = admin.access.load_full();
    let provider = for_people(admin, call.head, access.providers.named(&provider), &redirect_uri)?;
    let secret = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
    let attempt = provider.attempt(&secret);
    let url = provider.authorization_url(&attempt, &redirect_uri).await;
    let url = url.map_err(refused)?.to_string();
    let mut response = json(StatusCode::OK, &SignInUrl { url });
    set_cookie(admin, &mut response, &secret, MAX_AGE);
    Ok(response)
}

/// Complete a sign-in
///
/// Exchanges what the provider sent with the browser for a session, as starting one with a token
/// does. The session has the permissions of the grants that apply to the person at the time of each
/// request.
#[utoipa::path(
    post, path = "/api/v1/sign-in/complete", tag = "console", operation_id = "completeSignIn", security(),
    request_body = CompleteSignIn,
    responses(
        (status = 201, body = SessionDescription, description = "The session has started."),
        (status = 401, description = "The sign-in failed, or took longer than ten minutes."),
        (status = 403, description = "No grant applies to the person, or a page of another origin sent the request."),
        (status = 429, description = "The client failed to sign in too often. Retry-After says when to try again."),
        (status = 503, description = "The identity provider cannot be reached. Retry-After says when to try again."),
    ),
)]
pub(super) async fn complete(admin: &Admin, call: SignInCall<'_>) -> Result<Response, AdminError> {
    let CompleteSignIn {
        provider,
        redirect_uri,
        code,
        state,
    } = change::read_json(call.body).await?;
    let access = admin.access.load_full();
    let provider = for_people(admin, call.head, access.providers.named(&provider), &redirect_uri)?;
    let secret = Cookies::new(&call.head.headers, admin.sessions.is_secure()).get(COOKIE);
    let attempt = secret.map(|secret| provider.attempt(secret));
    let attempt = attempt.filter(|attempt| attempt.state == state);
    let attempt = attempt.ok_or_else(|| refused(IdTokenProblem::Code))?;
    let _permit = admin
        .sign_ins
        .try_acquire()
        .map_err(|_| AdminError::TooManySignIns)?;
    let holder = provider.redeem(&attempt, &code, &redirect_uri).await;
    let credential = Credential::IdToken(Arc::new(holder.map_err(refused)?));
    let identity = auth::identify(&access, &credential, call.audit).map_err(AdminError::Unauthorized)?;
    // It outlives the ID token, whose only purpose is to sign in.
    let mut response = session::start(admin, &identity, None);
    set_cookie(admin, &mut response, "", 0);
    Ok(response)
}

/// Sets the cookie of an attempt.
fn set_cookie(admin: &Admin, response: &mut Response, secret: &str, max_age: i64) {
    Cookie::new(COOKIE, secret, max_age)
        .strict()
        .append(response.headers_mut(), admin.sessions.is_secure());
}

/// A provider at which people sign in. Each has a redirect URI of its own, which tells the console
/// whose code it gets.
fn for_people<'p>(
    admin: &Admin,
    head: &Parts,
    provider: Option<&'p Provider>,
    redirect_uri: &str,
) -> Result<&'p Provider, AdminError> {
    // Prevents login CSRF: a page of another origin signs a person in to an account of its own.
    if !is_same_origin(&head.uri, &head.headers, admin.sessions.scheme()) {
        return Err(HttpError::CrossOrigin.into());
    }
    let provider = provider.filter(|provider| provider.settings().client_id.is_some());
    let wrong = "`provider` is not one at which people sign in";
    let provider = provider.ok_or_else(|| AdminError::Body(wrong.to_owned()))?;
    let expected = format!("{REDIRECT}{}", provider.settings().name);
    let is_own = Url::parse(redirect_uri)
        .is_ok_and(|url| url.path() == expected && url.query().is_none() && url.fragment().is_none());
    if !is_own {
        let wrong = format!("`redirectUri` must be the URL of {expected} at this listener");
        return Err(AdminError::Body(wrong));
    }
    Ok(provider)
}

fn refused(problem: IdTokenProblem) -> AdminError {
    AdminError::Unauthorized(TokenProblem::IdToken(problem))
}
