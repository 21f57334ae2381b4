//! The routes of the integrations.

use http::header::REFERRER_POLICY;
use http::{HeaderValue, StatusCode};

use colonnade_config::Config;
use colonnade_config::integrations::Partner;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{Response, redirect};
use colonnade_web::router::Route;

use crate::error::ErrorFormat;
use crate::integrations::configured::{PARTNER_PREFIX, SIGNUP};
use crate::routes::{get, post};
use crate::site::Endpoint;

/// The routes of the integrations that are configured.
pub(crate) fn routes(config: &Config) -> Vec<Route<Endpoint>> {
    let integrations = &config.integrations;
    let signup = integrations.signup.as_ref().map(|_| signup());
    let has_partners = !integrations.partners.is_empty();
    let partner = has_partners.then(partner);
    signup.into_iter().chain(partner).collect()
}

/// The route of sign-up.
fn signup() -> Route<Endpoint> {
    post(SIGNUP, ErrorFormat::Json, |site, call| {
        Box::pin(async {
            match &site.integrations.signup {
                Some(handler) => Ok(handler.handle(call).await),
                None => Err(HttpError::NotFound.into()),
            }
        })
    })
}

/// The route of affiliate links. An id that is not configured leads to the not-found document.
fn partner() -> Route<Endpoint> {
    get(
        format!("{PARTNER_PREFIX}{{partner}}"),
        ErrorFormat::Page,
        |site, call| {
            Box::pin(async move {
                let partner = site.config.integrations.partners.get(call.parameter);
                match partner.and_then(redirect_to) {
                    Some(response) => Ok(response),
                    None => site.document(&call, None).await,
                }
            })
        },
    )
}

fn redirect_to(partner: &Partner) -> Option<Response> {
    let mut response = redirect(StatusCode::FOUND, partner.url.as_str())?;
    let headers = response.headers_mut();
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    Some(response)
}

#[cfg(test)]
mod tests {
    use colonnade_model::pattern::RequestPath;

    use super::{partner, signup};
    use crate::routes::table;

    #[test]
    fn route_is_found_only_with_integration() {
        for (routes, signup_route, partner_route) in [
            (Vec::new(), "unmatched", "unmatched"),
            (vec![signup()], "/functions/v1/signup", "unmatched"),
            (vec![partner()], "unmatched", "/go/:partner"),
        ] {
            let table = table(routes);
            let name = |path| {
                let path = RequestPath::parse(path).expect("a valid path");
                table.find(&path).0.name.to_string()
            };
            assert_eq!(name("/functions/v1/signup"), signup_route);
            assert_eq!(name("/go/a%20b"), partner_route);
            assert_eq!(name("/go/a/"), "unmatched");
        }
    }
}
