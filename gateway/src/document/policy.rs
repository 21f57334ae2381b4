//! The content security policy of documents.

use http::HeaderValue;

use super::style::Inline;
use crate::config::Config;

/// Where browsers report violations to: the endpoint that the policy calls `csp` (Reporting API).
const ENDPOINTS: HeaderValue = HeaderValue::from_static("csp=\"/_csp\"");

/// What documents may load: scripts, styles, images, fonts and the manifest of this origin, and nothing written into the page itself
/// but the stylesheets that the gateway wrote. Scripts make no scripts and no HTML out of text: the one Trusted Types
/// policy is the shell's.
pub(super) struct Policy {
    /// Where forms may lead. Browsers hold every redirect of a form post against it, so the hosts that a sign-up may
    /// lead to stand there, too.
    targets: String,
    /// Whether visitors come by https. Browsers know endpoints there alone, and where a policy names one they do not
    /// use the address in `report-uri`.
    has_endpoints: bool,
}

impl Policy {
    /// The policy of the site this configuration describes.
    pub(super) fn new(config: &Config) -> Self {
        let signup = config.signup.as_ref();
        let hosts = signup.map_or(&[][..], |signup| &signup.redirect_hosts);
        let mut targets = vec!["'self'".to_owned()];
        targets.extend(hosts.iter().map(|host| format!("https://{host}")));
        Self {
            targets: targets.join(" "),
            has_endpoints: config.site.origin.scheme() == "https",
        }
    }

    /// The policy of a document with these stylesheets in it.
    pub(super) fn with(&self, styles: &[Inline]) -> HeaderValue {
        let hashes = styles
            .iter()
            .fold(String::new(), |all, style| all + " '" + &style.hash() + "'");
        let endpoint = if self.has_endpoints { "; report-to csp" } else { "" };
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'{hashes}; img-src 'self'; font-src 'self'; \
             connect-src 'self'; manifest-src 'self'; form-action {}; base-uri 'none'; frame-ancestors 'none'; \
             require-trusted-types-for 'script'; trusted-types default; report-uri /_csp{endpoint}",
            self.targets
        );
        HeaderValue::try_from(policy).expect("host names and base64 may stand in a header")
    }

    /// What `Reporting-Endpoints` says beside it, if anything.
    pub(super) fn endpoints(&self) -> Option<HeaderValue> {
        self.has_endpoints.then_some(ENDPOINTS)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Policy;
    use crate::config::Config;

    #[test]
    fn in_the_clear_reports_go_to_an_address_that_browsers_use_there() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../site.toml");
        let policy = Policy::new(&Config::load(&path).unwrap());
        let text = policy.with(&[]);
        assert!(text.to_str().unwrap().ends_with("; report-uri /_csp"), "{text:?}");
        assert_eq!(policy.endpoints(), None);
    }
}
