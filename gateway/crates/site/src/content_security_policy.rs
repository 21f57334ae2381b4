//! The Content Security Policy (CSP) of documents and workers, a second line of defense against
//! cross-site scripting (XSS).

use http::HeaderValue;

use colonnade_config::{AssetSettings, Config};

use crate::integrations;

/// The policy of documents. It allows scripts, styles, images, media, fonts and the manifest of
/// this origin, and the inline styles that the gateway writes. Trusted Types prevent scripts from
/// creating scripts or HTML from strings; the only Trusted Types policy is the shell's.
pub(crate) struct ContentSecurityPolicy {
    /// The sources of `script-src`.
    script: &'static str,
    /// The sources of `form-action`. Browsers check every redirect of a form post against it, so it
    /// includes the hosts that integrations may redirect to.
    form_action: String,
    /// Where browsers report violations: the directives `report-uri` and `report-to`, after `; `.
    reporting: String,
    /// The `Reporting-Endpoints` header: the endpoint that `report-to` names (Reporting API).
    endpoints: Option<HeaderValue>,
}

impl ContentSecurityPolicy {
    /// The policy of the site that this configuration describes.
    pub(crate) fn new(config: &Config) -> Self {
        let mut form_action = vec!["'self'".to_owned()];
        form_action.extend(integrations::form_targets(config));
        let (mut reporting, mut endpoints) = (String::new(), None);
        if let Some(url) = &config.telemetry.csp_report_url {
            reporting = format!("; report-uri {url}");
            // Browsers support endpoints only with HTTPS, and ignore `report-uri` if they know the
            // endpoint.
            if config.site.origin.scheme() == "https" {
                reporting += "; report-to csp";
                endpoints = Some(header_value(format!("csp=\"{url}\"")));
            }
        }
        Self {
            script: script_sources(config.assets),
            form_action: form_action.join(" "),
            reporting,
            endpoints,
        }
    }

    /// The header of a document whose inline styles have these hashes.
    pub(crate) fn header<'a>(&self, style_hashes: impl Iterator<Item = &'a str>) -> HeaderValue {
        let hashes = style_hashes.fold(String::new(), |all, hash| all + " '" + hash + "'");
        header_value(format!(
            "default-src 'none'; script-src {}; style-src 'self'{hashes}; img-src 'self'; media-src 'self'; \
             font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action {}; base-uri 'none'; \
             frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default{}",
            self.script, self.form_action, self.reporting
        ))
    }

    /// The `Reporting-Endpoints` header, if there is one.
    pub(crate) fn reporting_endpoints(&self) -> Option<HeaderValue> {
        self.endpoints.clone()
    }
}

/// The policy of scripts. It applies to a script that runs as a worker: workers do not inherit the
/// document's policy.
pub(crate) fn worker_policy(settings: AssetSettings) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; script-src {}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        script_sources(settings)
    );
    header_value(policy)
}

fn header_value(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("host names, URLs and base64 are valid in a header")
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
        let mut config = Config::load(&path).unwrap();
        let url = "https://reports.example/?a=b";
        config.telemetry.csp_report_url = Some(url.parse().unwrap());
        let policy = ContentSecurityPolicy::new(&config);
        let text = policy.header(iter::empty());
        let end = format!("default; report-uri {url}");
        assert!(text.to_str().unwrap().ends_with(&end), "{text:?}");
        assert_eq!(policy.reporting_endpoints(), None);
    }
}
