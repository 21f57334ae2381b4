//! `[[admin.identity_providers]]` and `[[admin.grants]]`: who may use the admin API with an ID token
//! of OIDC or a client certificate, and for what.

use std::collections::BTreeMap;
use std::path::Path;

use colonnade_model::release::is_name;
use secrecy::SecretString;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::config_file::ConfigFile;
use crate::permissions::{PermittedActions, PermittedSections};
use crate::secret::{SECRET, SecretSource};
use crate::upstream::has_link_local_host;
use crate::url::parse_url;
use crate::value::{as_nonempty_strings, as_string, convert, string, wrong_type};

/// What a grant for client certificates has as its provider.
pub const CLIENT_CERTIFICATE: &str = "client-certificate";

/// The claims of a client certificate: its subject alternative names by their kinds, and its common
/// names.
pub const CERTIFICATE_CLAIMS: [&str; 4] = ["uri", "dns", "email", "common_name"];

/// What a grant has as its claims.
const CLAIMS: &str = "a table of claims, each with a string or a list of strings";

/// The signature algorithms that a provider can use. Symmetric algorithms (HS256) are not
/// accepted: the verifier's key could also sign tokens.
const ALGORITHMS: [&str; 9] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA",
];

/// A provider of OIDC.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityProvider {
    /// The name, by which grants and the history refer to it.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// The issuer, exactly as it is in the tokens.
    #[serde(deserialize_with = "issuer")]
    pub issuer: String,
    /// The audience of tokens from elsewhere, such as a CI.
    #[serde(default, deserialize_with = "optional_string")]
    pub audience: Option<String>,
    /// The names of the accepted signature algorithms.
    #[serde(default = "default_algorithms", deserialize_with = "algorithms")]
    pub algorithms: Vec<String>,
    /// The client of the console. Without it, people cannot sign in at the console.
    #[serde(default, deserialize_with = "optional_string")]
    pub client_id: Option<String>,
    #[serde(default)]
    client_secret: Option<SecretSource>,
    /// The client of `colonnade login`, which has no secret.
    #[serde(default, deserialize_with = "optional_string")]
    pub device_client_id: Option<String>,
    /// The scopes that are requested when a person signs in.
    #[serde(default = "default_scopes", deserialize_with = "scopes")]
    pub scopes: Vec<String>,
    /// The claim that names a caller in the history and the log.
    #[serde(default = "default_name_claim", deserialize_with = "string")]
    pub name_claim: String,
    /// The secret of the console's client, if it has one.
    #[serde(skip)]
    pub secret: Option<SecretString>,
}

/// What callers with certain claims may do.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The name of the identity provider.
    #[serde(deserialize_with = "string")]
    pub provider: String,
    /// The accepted values of each claim. All claims must match.
    #[serde(deserialize_with = "claims")]
    pub claims: BTreeMap<String, Vec<String>>,
    /// The sections.
    pub sections: PermittedSections,
    /// The actions.
    pub actions: PermittedActions,
}

impl IdentityProvider {
    /// The audiences of accepted tokens.
    pub fn audiences(&self) -> Vec<&str> {
        let all = [&self.audience, &self.client_id, &self.device_client_id];
        all.into_iter().flatten().map(String::as_str).collect()
    }

    /// Reads the secret.
    fn resolve(&mut self, key: [&str; 3], folder: &Path, file: &mut ConfigFile<'_>) {
        let [admin, providers, item] = key;
        if self.audiences().is_empty() {
            let wrong = format!("`{}` has no audience", self.name);
            let expected = "`audience`, `client_id` or `device_client_id`";
            file.problem(&key, &wrong, expected);
        }
        if self.name == CLIENT_CERTIFICATE {
            let wrong = format!("`{CLIENT_CERTIFICATE}` is the provider of client certificates");
            file.problem(&[admin, providers, item, "name"], &wrong, "another name");
        }
        let Some(source) = &self.client_secret else { return };
        match source.read(folder) {
            Ok(secret) => self.secret = Some(secret),
            Err(wrong) => file.problem(&[admin, providers, item, "client_secret"], &wrong, SECRET),
        }
    }
}

/// Whose grants there can be.
pub(crate) struct Holders<'a> {
    /// The providers of ID tokens.
    pub(crate) providers: &'a [IdentityProvider],
    /// Whether the admin listener verifies client certificates.
    pub(crate) have_certificates: bool,
}

impl Grant {
    /// Checks that the provider exists, and can have these claims.
    fn check(&self, holders: &Holders<'_>, item: &str, file: &mut ConfigFile<'_>) {
        let key = |name| ["admin", "grants", item, name];
        // Everyone with an account at the provider would have the permissions.
        if self.claims.is_empty() {
            file.problem(&key("claims"), "is empty", CLAIMS);
        }
        if self.provider != CLIENT_CERTIFICATE {
            if !holders
                .providers
                .iter()
                .any(|provider| provider.name == self.provider)
            {
                let wrong = "there is no [[admin.identity_providers]] with this name";
                file.problem(&key("provider"), wrong, "the name of a provider");
            }
            return;
        }
        if !holders.have_certificates {
            let wrong = "the admin listener verifies no client certificates";
            file.problem(&key("provider"), wrong, "`listen.admin_client_authorities`, too");
        }
        let is_unknown = |name: &&String| !CERTIFICATE_CLAIMS.contains(&name.as_str());
        if let Some(name) = self.claims.keys().find(is_unknown) {
            let wrong = format!("a client certificate has no claim `{name}`");
            file.problem(&key("claims"), &wrong, &CERTIFICATE_CLAIMS.join(", "));
        }
    }

    /// Whether the grant applies to a token of this provider with these claims.
    pub fn applies(&self, provider: &str, claims: &Map<String, Value>) -> bool {
        let is_met = |(name, accepted): (&String, &Vec<String>)| {
            let value = claims.get(name);
            value.is_some_and(|value| accepted.iter().any(|pattern| has_value(value, pattern)))
        };
        self.provider == provider && self.claims.iter().all(is_met)
    }
}

/// Reads the secrets of the providers, and checks that names and issuers are unique.
pub(crate) fn resolve(providers: &mut [IdentityProvider], folder: &Path, file: &mut ConfigFile<'_>) {
    for index in 0..providers.len() {
        let item = format!("[{index}]");
        let (earlier, rest) = providers.split_at_mut(index);
        let Some(provider) = rest.first_mut() else { return };
        let mut duplicate = |key, value: &str, of: fn(&IdentityProvider) -> &str| {
            if earlier.iter().any(|other| of(other) == value) {
                let wrong = format!("`{value}` is the {key} of two providers");
                let key = ["admin", "identity_providers", &item, key];
                file.problem(&key, &wrong, "one of its own for each provider");
            }
        };
        duplicate("name", &provider.name, |other| &other.name);
        duplicate("issuer", &provider.issuer, |other| &other.issuer);
        provider.resolve(["admin", "identity_providers", &item], folder, file);
    }
}

/// Checks that each grant names a provider, and can have its claims.
pub(crate) fn check_grants(grants: &[Grant], holders: &Holders<'_>, file: &mut ConfigFile<'_>) {
    for (index, grant) in grants.iter().enumerate() {
        grant.check(holders, &format!("[{index}]"), file);
    }
}

/// Whether a claim, or an item of it, matches a pattern.
fn has_value(claim: &Value, pattern: &str) -> bool {
    match claim {
        Value::String(text) => is_match(pattern, text),
        Value::Bool(_) | Value::Number(_) => is_match(pattern, &claim.to_string()),
        Value::Array(items) => items
            .iter()
            .any(|item| !item.is_array() && has_value(item, pattern)),
        Value::Null | Value::Object(_) => false,
    }
}

/// Whether a pattern matches a whole text. `*` stands for any characters but `/`.
fn is_match(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(start) else {
        return false;
    };
    let end = text.find('/').unwrap_or(text.len());
    let mut ends = (0..=end).filter(|end| text.is_char_boundary(*end));
    ends.any(|end| is_match(rest, &text[end..]))
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let expected = "a name of lower-case letters, digits and hyphens";
    convert(deserializer, expected, |value| match as_string(value)? {
        name if is_name(name) => Ok(name.to_owned()),
        name => Err(format!("`{name}` is not a name")),
    })
}

/// The text is kept as it is: a token contains exactly this text.
fn issuer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let expected = "a full URL with https, or with http if the host is this machine, without a query";
    convert(deserializer, expected, |value| {
        let text = as_string(value)?;
        let url = parse_url(text)?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!("`{text}` has a query or a fragment"));
        }
        if has_link_local_host(&url) {
            return Err("has a link-local address, or that of a cloud's metadata service".to_owned());
        }
        Ok(text.to_owned())
    })
}

fn optional_string<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    string(deserializer).map(Some)
}

fn algorithms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let expected = format!("a list of {}", ALGORITHMS.join(", "));
    convert(deserializer, &expected, |value| {
        as_nonempty_strings(value, |name| match name {
            _ if ALGORITHMS.contains(&name) => Ok(name.to_owned()),
            _ => Err(format!("`{name}` is not an accepted algorithm")),
        })
    })
}

fn scopes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    convert(deserializer, "a list of scopes with `openid`", |value| {
        let scopes = as_nonempty_strings(value, |scope| Ok(scope.to_owned()))?;
        if scopes.iter().any(|scope| scope == "openid") {
            Ok(scopes)
        } else {
            Err("lacks `openid`".to_owned())
        }
    })
}

fn claims<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Vec<String>>, D::Error> {
    convert(deserializer, CLAIMS, |value| {
        let table = value.as_table().ok_or_else(|| wrong_type(value))?;
        let claims = table.iter().map(|(name, value)| {
            let accepted = match value {
                toml::Value::Array(_) => as_nonempty_strings(value, |text| Ok(text.to_owned())),
                value => as_string(value).map(|text| vec![text.to_owned()]),
            };
            let accepted = accepted.map_err(|wrong| format!("`{name}` {wrong}"))?;
            Ok((name.clone(), accepted))
        });
        claims.collect()
    })
}

fn default_algorithms() -> Vec<String> {
    ["RS256", "ES256"].map(str::to_owned).to_vec()
}

fn default_scopes() -> Vec<String> {
    ["openid", "profile", "email"].map(str::to_owned).to_vec()
}

fn default_name_claim() -> String {
    "sub".to_owned()
}
