//! The Content Security Policy (CSP) of documents and workers, a second line of defense against
//! cross-site scripting (XSS).

use http::HeaderValue;

use colonnade_config::{AssetSettings, Config};

/// The `Reporting-Endpoints` header: the endpoint that the policy names `csp` (Reporting API).
const ENDPOINTS: HeaderValue = HeaderValue::from_static("csp=\"/_csp\"");

/// The policy of documents. It allows scripts, styles, images, media, fonts and the manifest of
/// this origin, and the inline styles that the gateway writes. Trusted Types prevent scripts from
/// creating scripts or HTML from strings; the only Trusted Types policy is the shell's.
pub(crate) struct ContentSecurityPolicy {
    /// The sources of `script-src`.
    script: &'static str,
    /// The sources of `form-action`. Browsers check every redirect of a form post against it, so it
    /// includes the hosts that sign-up may redirect to.
    form_action: String,
    /// Whether the policy names a reporting endpoint. Browsers support endpoints only with HTTPS,
    /// and ignore `report-uri` if the policy names one.
    has_endpoint: bool,
}

impl ContentSecurityPolicy {
    /// The policy of the site that this configuration describes.
    pub(crate) fn new(config: &Config) -> Self {
        let signup = config.signup.as_ref();
        let hosts = signup.map_or(&[][..], |signup| &signup.allowed_redirect_hosts);
        let mut form_action = vec!["'self'".to_owned()];
        form_action.extend(hosts.iter().map(|host| format!("https://{host}")));
        Self {
            script: script_sources(config.assets),
            form_action: form_action.join(" "),
            has_endpoint: config.site.origin.scheme() == "https",
        }
    }

    /// The header of a document whose inline styles have these hashes.
    pub(crate) fn header<'a>(&self, style_hashes: impl Iterator<Item = &'a str>) -> HeaderValue {
        let hashes = style_hashes.fold(String::new(), |all, hash| all + " '" + hash + "'");
        let endpoint = if self.has_endpoint { "; report-to csp" } else { "" };
        let policy = format!(
            "default-src 'none'; script-src {}; style-src 'self'{hashes}; img-src 'self'; media-src 'self'; \
             font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action {}; base-uri 'none'; \
             frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default; \
             report-uri /_csp{endpoint}",
            self.script, self.form_action
        );
        HeaderValue::try_from(policy).expect("host names and base64 are valid in a header")
    }

    /// The `Reporting-Endpoints` header, if there is one.
    pub(crate) fn reporting_endpoints(&self) -> Option<HeaderValue> {
        self.has_endpoint.then_some(ENDPOINTS)
    }
}

/// The policy of scripts. It applies to a script that runs as a worker: workers do not inherit the
/// document's policy.
pub(crate) fn worker_policy(settings: AssetSettings) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; script-src {}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        script_sources(settings)
    );
    HeaderValue::try_from(policy).expect("the sources are valid in a header")
}

fn script_sources(settings: AssetSettings) -> &'static str {
    if settings.allow_wasm {
        "'self' 'wasm-unsafe-eval'"
    } else {
        "'self'"
    }
}

#[cfg(test)]
mod tests {
    use std::iter;
    use std::path::Path;

    use colonnade_config::Config;

    use super::ContentSecurityPolicy;

    #[test]
    fn http_site_reports_violations_to_report_uri() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../site.toml");
        let policy = ContentSecurityPolicy::new(&Config::load(&path).unwrap());
        let text = policy.header(iter::empty());
        assert!(text.to_str().unwrap().ends_with("; report-uri /_csp"), "{text:?}");
        assert_eq!(policy.reporting_endpoints(), None);
    }
}
