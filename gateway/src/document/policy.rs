//! The content security policy of documents.

use http::HeaderValue;

use crate::config::Config;

/// What a document may load: scripts, styles and images of this origin, and nothing written into the page itself.
///
/// Browsers hold every redirect of a form post against `form-action`, so the hosts that a sign-up may lead to stand
/// there, too.
pub(super) fn policy(config: &Config) -> HeaderValue {
    let signup = config.signup.as_ref();
    let hosts = signup.map_or(&[][..], |signup| &signup.redirect_hosts);
    let mut targets = vec!["'self'".to_owned()];
    targets.extend(hosts.iter().map(|host| format!("https://{host}")));
    let targets = targets.join(" ");
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; form-action {targets}; base-uri 'none'; \
         frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).expect("host names may stand in a header")
}
