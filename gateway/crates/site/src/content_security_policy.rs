//! The Content Security Policy (CSP) of documents and workers, a second line of defense against
//! cross-site scripting (XSS).

use http::HeaderValue;

use colonnade_config::{AssetSettings, Config};
use colonnade_model::policy::PolicyKey::{
    self, Connections, Features, Fonts, Frames, Images, Media, StyleAttributes, StyleElements, TrustedTypes,
    Workers,
};
use colonnade_model::policy::{Policy, is_loopback};
use colonnade_web::security_headers::permissions_policy;

use crate::integrations::form_targets;

/// The policy of documents. It allows scripts, styles, images, media, fonts and the manifest of
/// this origin, the inline styles that the gateway writes, and what the operator permits. Trusted
/// Types prevent scripts from creating scripts or HTML from strings; the only Trusted Types policy is
/// the shell's.
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

/// The policy of one document.
#[derive(Debug, Clone)]
pub(crate) struct DocumentPolicy {
    /// What browsers enforce.
    pub(crate) enforced: HeaderValue,
    /// What they only report.
    pub(crate) reported: Option<HeaderValue>,
    /// The `Permissions-Policy` header, if features are permitted.
    pub(crate) features: Option<HeaderValue>,
}

/// The directives that require Trusted Types.
const TRUSTED_TYPES: &str = "require-trusted-types-for 'script'; trusted-types default";

impl ContentSecurityPolicy {
    /// The policy of the site that this configuration describes.
    pub(crate) fn new(config: &Config) -> Self {
        let mut form_action = vec!["'self'".to_owned()];
        form_action.extend(form_targets(config));
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

    /// The policy of a document with these permissions, whose inline styles have these hashes.
    pub(crate) fn of_document<'a>(
        &self,
        permissions: &'a Policy,
        style_hashes: impl Iterator<Item = &'a str>,
    ) -> DocumentPolicy {
        let [images, media, fonts, connections] =
            [Images, Media, Fonts, Connections].map(|key| hosts(permissions, key));
        let known = permissions.values(StyleElements).filter(|hash| *hash != "true");
        let hashes = style_hashes.chain(known);
        let hashes = hashes.fold(String::new(), |all, hash| all + " '" + hash + "'");
        let mut policy = format!(
            "default-src 'none'; script-src {}; style-src 'self'{hashes}; img-src 'self'{images}; media-src 'self'{media}; \
             font-src 'self'{fonts}; connect-src 'self'{connections}; manifest-src 'self'; form-action {}; base-uri 'none'; \
             frame-ancestors 'none'",
            self.script, self.form_action
        );
        for (key, directive) in [
            // Browsers ignore 'unsafe-inline' beside a hash.
            (StyleElements, "; style-src-elem 'self' 'unsafe-inline'"),
            (StyleAttributes, "; style-src-attr 'unsafe-inline'"),
            (Workers, "; worker-src 'self' blob:"),
        ] {
            if permissions.has(key, "true") {
                policy += directive;
            }
        }
        if permissions.values(Frames).next().is_some() {
            policy = policy + "; frame-src" + &hosts(permissions, Frames);
        }
        let reporting = &self.reporting;
        let (enforced, reported) = if permissions.has(TrustedTypes, "report") {
            let reported = header_value(format!("{TRUSTED_TYPES}{reporting}"));
            (policy + reporting, Some(reported))
        } else {
            (format!("{policy}; {TRUSTED_TYPES}{reporting}"), None)
        };
        let has_features = permissions.values(Features).next().is_some();
        DocumentPolicy {
            enforced: header_value(enforced),
            reported,
            features: has_features.then(|| permissions_policy(permissions)),
        }
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

/// The hosts and schemes that a key permits as sources, each after a space.
fn hosts(permissions: &Policy, key: PolicyKey) -> String {
    let source = |host: &str| {
        if host.ends_with(':') {
            return format!(" {host}");
        }
        let secure = if is_loopback(host) { "" } else { "s" };
        if key == Connections {
            format!(" http{secure}://{host} ws{secure}://{host}")
        } else {
            format!(" http{secure}://{host}")
        }
    };
    permissions.values(key).map(source).collect()
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
    use colonnade_model::policy::Policy;
    use serde_json::json;

    use super::ContentSecurityPolicy;

    #[test]
    fn http_site_reports_violations_to_report_uri() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../site.toml");
        let mut config = Config::load(&path).unwrap();
        let url = "https://reports.example/?a=b";
        config.telemetry.csp_report_url = Some(url.parse().unwrap());
        let policy = ContentSecurityPolicy::new(&config);
        let text = policy.of_document(&Policy::default(), iter::empty()).enforced;
        let end = format!("default; report-uri {url}");
        assert!(text.to_str().unwrap().ends_with(&end), "{text:?}");
        assert_eq!(policy.reporting_endpoints(), None);
    }

    #[test]
    fn permissions_widen_only_their_directives() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../site.toml");
        let policy = ContentSecurityPolicy::new(&Config::load(&path).unwrap());
        let strict = policy.of_document(&Policy::default(), ["sha256-a"].into_iter());
        let strict = strict.enforced.to_str().unwrap().to_owned();
        let report = "; require-trusted-types-for 'script'; trusted-types default";
        let known = format!("sha256-{}", "b".repeat(44));
        let own = |directive: &str| (report, format!("; {directive}{report}"));
        for (permissions, (before, after)) in [
            (
                json!({ "images": ["*.a.example", "b.example:81"] }),
                (
                    "img-src 'self'",
                    "img-src 'self' https://*.a.example https://b.example:81".to_owned(),
                ),
            ),
            (
                json!({ "media": ["a.b", "blob:", "data:"] }),
                (
                    "media-src 'self'",
                    "media-src 'self' https://a.b blob: data:".to_owned(),
                ),
            ),
            (
                json!({ "fonts": ["127.0.0.1:80", "data:"] }),
                (
                    "font-src 'self'",
                    "font-src 'self' http://127.0.0.1:80 data:".to_owned(),
                ),
            ),
            (
                json!({ "connections": ["a.b", "localhost:1"] }),
                (
                    "connect-src 'self'",
                    "connect-src 'self' https://a.b wss://a.b http://localhost:1 ws://localhost:1".to_owned(),
                ),
            ),
            (
                json!({ "styleElements": [known] }),
                ("'sha256-a'", format!("'sha256-a' '{known}'")),
            ),
            (json!({ "frames": ["a.b"] }), own("frame-src https://a.b")),
            (
                json!({ "styleElements": true }),
                own("style-src-elem 'self' 'unsafe-inline'"),
            ),
            (
                json!({ "styleAttributes": true }),
                own("style-src-attr 'unsafe-inline'"),
            ),
            (json!({ "workers": true }), own("worker-src 'self' blob:")),
            (json!({ "trustedTypes": "report" }), (report, String::new())),
        ] {
            let permitted: Policy = serde_json::from_value(permissions.clone()).unwrap();
            let found = policy.of_document(&permitted, ["sha256-a"].into_iter());
            assert_eq!(found.enforced, strict.replace(before, &after), "{permissions}");
            let reported = found
                .reported
                .map(|policy| format!("; {}", policy.to_str().unwrap()));
            assert_eq!(
                reported.as_deref(),
                after.is_empty().then_some(report),
                "{permissions}"
            );
        }
    }
}
