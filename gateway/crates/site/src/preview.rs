//! Entering and leaving previews.

use http::header::REFERRER_POLICY;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use jiff::Timestamp;

use colonnade_model::deployment::{ReleaseChange, release_changes};
use colonnade_platform::deployment::Snapshot;
use colonnade_platform::preview::{COOKIE, verify_token};
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::cookie::Cookie;
use colonnade_web::html::escape;
use colonnade_web::plain_page::PlainPage;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{Response, redirect};

use crate::document::SiteView;
use crate::error::SiteError;

/// Keeps previews out of search engines.
pub(crate) const ROBOTS: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-robots-tag"),
    HeaderValue::from_static("noindex, nofollow"),
);

/// The stylesheet of the page that a link opens.
const STYLE: &str = include_str!("preview.css");

/// Opens a preview link: says what the preview shows and what its code can do. Only [`enter`],
/// which the button of the page calls, shows it.
pub(crate) fn open(snapshot: &Snapshot, token: &str, site: &SiteView) -> Result<Response, SiteError> {
    let (claims, previewed) = verify_token(snapshot, token).ok_or(SiteError::PreviewOver)?;
    let live = snapshot.live().ok_or(SiteError::NothingLive)?;
    let ends = Timestamp::from_second(claims.expires).map_err(|_| SiteError::PreviewOver)?;
    let page = PlainPage {
        frame: &site.frame(Some(live)),
        title: "Start a preview?",
        content: question(&site.brand, &previewed, live, ends),
        footer: String::new(),
        live: true,
        form_style: Some(STYLE),
    };
    let mut response = page.respond(StatusCode::OK);
    // The link contains the token, so the code of the page's own links may not see it. The button
    // needs an Origin.
    let referrer_policy = HeaderValue::from_static("strict-origin");
    response
        .headers_mut()
        .extend([ROBOTS, (REFERRER_POLICY, referrer_policy)]);
    Ok(response)
}

/// The page's text, and the form that starts the preview. A form without an action sends to the
/// page's own URL.
fn question(brand: &str, previewed: &LoadedDeployment, live: &LoadedDeployment, ends: Timestamp) -> String {
    let changes = release_changes(&live.deployment.releases, &previewed.deployment.releases);
    let items = changes
        .iter()
        .map(|(name, change)| escape(&describe(name, change)));
    let items: Vec<String> = items.collect();
    let changes = if items.is_empty() {
        "none".to_owned()
    } else {
        format!("<ul><li>{}</li></ul>", items.join("</li><li>"))
    };
    format!(
        "<p>This link shows another version of {brand} in this browser. All other visitors still see the live site.</p>\
         <dl><dt>Version</dt><dd>deployment {number}, created by {by}</dd>\
         <dt>Changes to the live site</dt><dd>{changes}</dd>\
         <dt>Ends</dt><dd>{ends}, or when you press <strong>End preview</strong> at the top of a page</dd></dl>\
         <p class=\"notice\">The preview runs code that may not have been released. It runs on this site's address, so it can \
         read what you type and change what you see. Start it only if you trust the person who sent you the link.</p>\
         <form class=\"actions\" method=\"post\"><button class=\"button\" type=\"submit\">Start preview</button>\
         <a href=\"/\">Go to the live site instead</a></form>",
        brand = escape(brand),
        number = previewed.deployment.number,
        by = escape(&previewed.deployment.by),
        ends = ends.strftime("%Y-%m-%d %H:%M UTC"),
    )
}

/// Describes the change of a section's release.
fn describe(name: &str, change: &ReleaseChange) -> String {
    match (&change.from, &change.to) {
        (Some(from), Some(to)) => format!("{name} {from} → {to}"),
        (None, Some(to)) => format!("{name} {to}, new"),
        (_, None) => format!("{name}, removed"),
    }
}

/// Starts a preview: stores the token in a cookie and redirects to the previewed page.
pub(crate) fn enter(snapshot: &Snapshot, token: &str, secure: bool) -> Result<Response, SiteError> {
    let (claims, _) = verify_token(snapshot, token).ok_or(SiteError::PreviewOver)?;
    let mut response = redirect(StatusCode::SEE_OTHER, &claims.path).ok_or(SiteError::PreviewOver)?;
    let headers = response.headers_mut();
    let max_age = claims.expires - colonnade_clock::now().as_second();
    Cookie::new(COOKIE, token, max_age).append(headers, secure);
    // The link contains the token, so neither another site nor the previewed code may see it.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.extend([ROBOTS]);
    Ok(response)
}

/// Ends the preview in this browser.
pub(crate) fn leave(secure: bool) -> Result<Response, SiteError> {
    let mut response = redirect(StatusCode::SEE_OTHER, "/").ok_or(HttpError::NotFound)?;
    delete_cookie(response.headers_mut(), secure);
    Ok(response)
}

/// Deletes the preview cookie.
pub(crate) fn delete_cookie(headers: &mut HeaderMap, secure: bool) {
    Cookie::new(COOKIE, "", 0).append(headers, secure);
}
