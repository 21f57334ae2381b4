//! Content policies: what documents may do in addition to the strict default. A release says what it
//! needs, and the operator what sections may.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU16;
use std::sync::LazyLock;

use serde::de::Error;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use strum::{IntoStaticStr, VariantArray};

/// The most values of a key.
const MAX_VALUES: usize = 32;

/// The browser features that the Permissions Policy of documents denies, unless a policy permits them.
pub const FEATURES: [&str; 21] = [
    "accelerometer",
    "autoplay",
    "camera",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "geolocation",
    "gyroscope",
    "hid",
    "idle-detection",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "sync-xhr",
    "usb",
    "xr-spatial-tracking",
];

static EXPECTED_FEATURES: LazyLock<String> =
    LazyLock::new(|| format!("a list of `{}`", FEATURES.join("`, `")));

/// What a policy says something about. Its name in `release.json` is in camel case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "camelCase")]
#[strum(serialize_all = "snake_case")]
pub enum PolicyKey {
    /// Hosts and schemes of images.
    Images,
    /// Hosts and schemes of fonts.
    Fonts,
    /// Hosts that scripts request, also with WebSocket.
    Connections,
    /// Hosts of frames.
    Frames,
    /// Hosts and schemes of audio and video.
    Media,
    /// `style` attributes in HTML.
    StyleAttributes,
    /// Style elements with any text, or with that of these hashes.
    StyleElements,
    /// Workers whose script is a `blob:` URL.
    Workers,
    /// Browser features that scripts may use, of [`FEATURES`].
    Features,
    /// Whether browsers only report violations of Trusted Types.
    TrustedTypes,
}

impl PolicyKey {
    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The schemes that it can have besides hosts: those of URLs with the file itself.
    fn schemes(self) -> &'static [&'static str] {
        match self {
            Self::Images | Self::Media => &["blob:", "data:"],
            Self::Fonts => &["data:"],
            _ => &[],
        }
    }

    /// The description of a valid value in errors.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Connections | Self::Frames => {
                "a list of at most 32 hosts, such as `cdn.example.com`, `*.example.com` or `localhost:3000`"
            }
            Self::Images | Self::Media => {
                "a list of at most 32 hosts, such as `cdn.example.com`, `*.example.com` or `localhost:3000`, `blob:` and `data:`"
            }
            Self::Fonts => {
                "a list of at most 32 hosts, such as `cdn.example.com`, `*.example.com` or `localhost:3000`, and `data:`"
            }
            Self::StyleAttributes | Self::Workers => "a boolean",
            Self::StyleElements => "a boolean, or a list of at most 32 hashes, such as `sha256-…`",
            Self::Features => &EXPECTED_FEATURES,
            Self::TrustedTypes => "`enforce` or `report`",
        }
    }
}

/// The permissions of a policy. The default has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy(BTreeMap<PolicyKey, BTreeSet<String>>);

impl Policy {
    /// Whether it permits nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a key permits: hosts, schemes with a colon, hashes, features, `true` or `report`, sorted.
    pub fn values(&self, key: PolicyKey) -> impl Iterator<Item = &str> {
        self.0.get(&key).into_iter().flatten().map(String::as_str)
    }

    /// Whether a key permits this value.
    pub fn has(&self, key: PolicyKey, value: &str) -> bool {
        self.0.get(&key).is_some_and(|values| values.contains(value))
    }

    /// Adds what a key permits.
    ///
    /// # Errors
    /// What is wrong with the value.
    pub fn add(&mut self, key: PolicyKey, value: &Value) -> Result<(), String> {
        let values = parse(key, value)?;
        if !values.is_empty() {
            self.0.entry(key).or_default().extend(values);
        }
        Ok(())
    }

    /// Adds all that another policy permits.
    pub fn extend(&mut self, other: &Self) {
        for (key, values) in &other.0 {
            self.0.entry(*key).or_default().extend(values.iter().cloned());
        }
    }

    /// The keys of which `permitted` permits less than this policy needs.
    pub fn missing_in(&self, permitted: &Self) -> Vec<PolicyKey> {
        let missing = self
            .0
            .iter()
            .filter(|(key, needed)| !needed.iter().all(|value| permitted.permits(**key, value)));
        missing.map(|(key, _)| *key).collect()
    }

    /// Adds what it already permits of another policy, such as a host of a domain.
    pub fn extend_within(&mut self, other: &Self) {
        for (key, values) in &other.0 {
            let permitted: Vec<String> = values
                .iter()
                .filter(|value| self.permits(*key, value))
                .cloned()
                .collect();
            self.0.entry(*key).or_default().extend(permitted);
        }
    }

    /// Whether a key permits a value, or one that includes it.
    fn permits(&self, key: PolicyKey, needed: &str) -> bool {
        self.values(key).any(|value| covers(value, needed))
    }

    /// The line of a key in the configuration.
    pub fn line(&self, key: PolicyKey) -> String {
        let values: Vec<&str> = self.values(key).collect();
        let name = key.name();
        match key {
            _ if values.contains(&"true") => format!("{name} = true"),
            PolicyKey::TrustedTypes => format!("{name} = \"report\""),
            _ => format!("{name} = {values:?}"),
        }
    }

    /// Its permissions, each as the name of the key and the value.
    pub fn permissions(&self) -> Vec<String> {
        let permissions = self
            .0
            .iter()
            .flat_map(|(key, values)| values.iter().map(|value| format!("{} {value}", key.name())));
        permissions.collect()
    }
}

/// Whether a permitted value includes a needed one.
fn covers(permitted: &str, needed: &str) -> bool {
    permitted == needed
        || permitted == TRUE
        || permitted
            .strip_prefix('*')
            .is_some_and(|domain| needed.ends_with(domain))
}

/// The value of a boolean key.
const TRUE: &str = "true";

/// The value of `trusted_types` that permits something.
const REPORT: &str = "report";

fn parse(key: PolicyKey, value: &Value) -> Result<BTreeSet<String>, String> {
    let is_hosts = matches!(
        key,
        PolicyKey::Images | PolicyKey::Fonts | PolicyKey::Connections | PolicyKey::Frames | PolicyKey::Media
    );
    let is_flag = matches!(
        key,
        PolicyKey::StyleAttributes | PolicyKey::StyleElements | PolicyKey::Workers
    );
    match value {
        Value::Bool(is_permitted) if is_flag => {
            Ok(is_permitted.then(|| TRUE.to_owned()).into_iter().collect())
        }
        Value::String(text) if key == PolicyKey::TrustedTypes => match text.as_str() {
            "enforce" => Ok(BTreeSet::new()),
            REPORT => Ok([REPORT.to_owned()].into()),
            _ => Err(format!("`{text}` is not a mode")),
        },
        Value::Array(items) if is_hosts => strings(items, "host", |text| {
            key.schemes().contains(&text) || is_host(text)
        }),
        Value::Array(items) if key == PolicyKey::StyleElements => strings(items, "hash", is_hash),
        Value::Array(items) if key == PolicyKey::Features => {
            strings(items, "feature that documents are denied", |text| {
                FEATURES.contains(&text)
            })
        }
        Value::Null => Err("is null".to_owned()),
        Value::Bool(_) => Err("is of type boolean".to_owned()),
        Value::Number(_) => Err("is of type number".to_owned()),
        Value::String(_) => Err("is of type string".to_owned()),
        Value::Array(_) => Err("is of type array".to_owned()),
        Value::Object(_) => Err("is of type table".to_owned()),
    }
}

fn strings(items: &[Value], noun: &str, is_valid: impl Fn(&str) -> bool) -> Result<BTreeSet<String>, String> {
    if items.len() > MAX_VALUES {
        return Err(format!("has {} values", items.len()));
    }
    let string = |item: &Value| match item.as_str() {
        Some(text) if is_valid(text) => Ok(text.to_owned()),
        _ => Err(format!(
            "`{}` is not a {noun}",
            item.as_str().map_or_else(|| item.to_string(), str::to_owned)
        )),
    };
    items.iter().map(string).collect()
}

/// Whether a text is a host in lower case, maybe with a port. The first label may be `*` if two
/// others follow it. Nothing else fits into a source of the header.
fn is_host(text: &str) -> bool {
    let (name, port) = text
        .split_once(':')
        .map_or((text, None), |(name, port)| (name, Some(port)));
    let is_port = |port: &str| {
        port.parse::<NonZeroU16>()
            .is_ok_and(|number| number.to_string() == port)
    };
    let (domain, is_wildcard) = name
        .strip_prefix("*.")
        .map_or((name, false), |domain| (domain, true));
    let is_label = |label: &str| {
        let is_valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        label.bytes().all(is_valid) && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
    };
    let is_domain =
        domain.split('.').all(is_label) && (domain.contains('.') || !is_wildcard && domain == "localhost");
    name.len() <= 253 && is_domain && port.is_none_or(is_port)
}

/// Whether a host is always the visitor's own machine. All others need encrypted connections.
pub fn is_loopback(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    name == "localhost" || name.ends_with(".localhost") || name == "127.0.0.1"
}

/// Whether a text is a hash of the Content Security Policy, without its quotes.
fn is_hash(text: &str) -> bool {
    let (algorithm, digest) = text.split_once('-').unwrap_or_default();
    let length = match algorithm {
        "sha256" => 44,
        "sha384" => 64,
        "sha512" => 88,
        _ => return false,
    };
    digest.len() == length
        && digest
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
}

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, values) in &self.0 {
            match key {
                _ if values.contains(TRUE) => map.serialize_entry(key, &true)?,
                PolicyKey::TrustedTypes => map.serialize_entry(key, REPORT)?,
                _ => map.serialize_entry(key, values)?,
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut policy = Self::default();
        let keys: Vec<_> = PolicyKey::VARIANTS.iter().map(|key| (json!(key), *key)).collect();
        for (name, value) in BTreeMap::<String, Value>::deserialize(deserializer)? {
            let Some((_, key)) = keys.iter().find(|(known, _)| *known == name) else {
                let known: Vec<_> = keys
                    .iter()
                    .map(|(known, _)| known.to_string().replace('"', "`"))
                    .collect();
                let expected = known.join(", ");
                return Err(D::Error::custom(format_args!(
                    "policy: unknown key `{name}`; expected one of {expected}"
                )));
            };
            policy.add(*key, &value).map_err(|wrong| {
                let expected = key.expected();
                D::Error::custom(format_args!("policy.{name}: {wrong}; expected {expected}"))
            })?;
        }
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Policy, PolicyKey, is_host};

    fn policy(json: serde_json::Value) -> Policy {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn host_fits_one_source_of_the_header() {
        for host in [
            "cdn.example.com",
            "*.example.com",
            "localhost",
            "localhost:3000",
            "127.0.0.1:80",
            "a-1.b.c:443",
        ] {
            assert!(is_host(host), "{host}");
        }
        for invalid in [
            "",
            "*",
            "*.com",
            "*.localhost",
            "a.*.com",
            "cdn",
            "https://cdn.example.com",
            "cdn.example.com/a",
            "a.b;",
            "a.b c.d",
            "a.b,c.d",
            "'unsafe-inline'",
            "data:",
            "blob:",
            "A.example",
            "a..b",
            ".a.b",
            "a.b.",
            "-a.b",
            "a-.b",
            "a.b:",
            "a.b:*",
            "a.b:+1",
            "a.b:0",
            "a.b:080",
            "a.b:65536",
            "a.b:80:80",
            "[::1]",
            "ä.example",
            "a.b\n",
        ] {
            assert!(!is_host(invalid), "{invalid}");
        }
    }

    #[test]
    fn union_permits_what_either_policy_permits() {
        let mut union = policy(json!({ "images": ["a.example"], "workers": true }));
        union.extend(&policy(
            json!({ "images": ["b.example"], "trustedTypes": "report", "fonts": [] }),
        ));
        let expected =
            json!({ "images": ["a.example", "b.example"], "trustedTypes": "report", "workers": true });
        assert_eq!(json!(union), expected);
        let permissions = [
            "images a.example",
            "images b.example",
            "workers true",
            "trusted_types report",
        ];
        assert_eq!(union.permissions(), permissions);
    }

    #[test]
    fn policy_lacks_what_it_does_not_cover() {
        let hash = format!("sha256-{}", "a".repeat(44));
        let permitted = policy(json!({ "images": ["*.example.com", "b.example:81"], "styleElements": true }));
        for (needed, missing) in [
            (
                json!({ "images": ["cdn.example.com", "*.cdn.example.com"], "styleElements": [hash] }),
                vec![],
            ),
            (
                json!({ "trustedTypes": "enforce", "workers": false, "frames": [] }),
                vec![],
            ),
            (json!({ "images": ["example.com"] }), vec![PolicyKey::Images]),
            (
                json!({ "images": ["cdn.example.com:81"] }),
                vec![PolicyKey::Images],
            ),
            (json!({ "images": ["b.example"] }), vec![PolicyKey::Images]),
            (json!({ "images": ["data:"] }), vec![PolicyKey::Images]),
            (
                json!({ "fonts": ["a.example.com"], "workers": true, "features": ["usb"] }),
                vec![PolicyKey::Fonts, PolicyKey::Workers, PolicyKey::Features],
            ),
        ] {
            assert_eq!(policy(needed.clone()).missing_in(&permitted), missing, "{needed}");
        }
        let all = policy(json!({ "styleElements": true }));
        let some = policy(json!({ "styleElements": [hash] }));
        assert_eq!(all.missing_in(&some), [PolicyKey::StyleElements]);
    }

    #[test]
    fn invalid_policy_names_key_and_expectation() {
        let problem = |json| serde_json::from_value::<Policy>(json).unwrap_err().to_string();
        let hosts =
            "a list of at most 32 hosts, such as `cdn.example.com`, `*.example.com` or `localhost:3000`";
        let images = format!("{hosts}, `blob:` and `data:`");
        let fonts = format!("{hosts}, and `data:`");
        let features = "a list of `accelerometer`, `autoplay`, `camera`, `display-capture`, `encrypted-media`, `fullscreen`, `geolocation`, \
                        `gyroscope`, `hid`, `idle-detection`, `magnetometer`, `microphone`, `midi`, `payment`, `picture-in-picture`, \
                        `publickey-credentials-get`, `screen-wake-lock`, `serial`, `sync-xhr`, `usb`, `xr-spatial-tracking`";
        for (json, expected) in [
            (json!({ "images": ["a.b; x"] }), format!("policy.images: `a.b; x` is not a host; expected {images}")),
            (json!({ "images": [1] }), format!("policy.images: `1` is not a host; expected {images}")),
            (json!({ "images": vec!["a.b"; 33] }), format!("policy.images: has 33 values; expected {images}")),
            (json!({ "fonts": true }), format!("policy.fonts: is of type boolean; expected {fonts}")),
            (json!({ "fonts": ["blob:"] }), format!("policy.fonts: `blob:` is not a host; expected {fonts}")),
            (json!({ "connections": ["data:"] }), format!("policy.connections: `data:` is not a host; expected {hosts}")),
            (json!({ "workers": "yes" }), "policy.workers: is of type string; expected a boolean".to_owned()),
            (json!({ "trustedTypes": true }), "policy.trustedTypes: is of type boolean; expected `enforce` or `report`".to_owned()),
            (json!({ "trustedTypes": "off" }), "policy.trustedTypes: `off` is not a mode; expected `enforce` or `report`".to_owned()),
            (
                json!({ "styleElements": ["sha256-a"] }),
                "policy.styleElements: `sha256-a` is not a hash; expected a boolean, or a list of at most 32 hashes, such as \
                 `sha256-…`".to_owned(),
            ),
            (json!({ "features": true }), format!("policy.features: is of type boolean; expected {features}")),
            (
                json!({ "features": ["clipboard-read"] }),
                format!("policy.features: `clipboard-read` is not a feature that documents are denied; expected {features}"),
            ),
            (
                json!({ "style_elements": true }),
                "policy: unknown key `style_elements`; expected one of `images`, `fonts`, `connections`, `frames`, `media`, \
                 `styleAttributes`, `styleElements`, `workers`, `features`, `trustedTypes`".to_owned(),
            ),
        ] {
            assert_eq!(problem(json), expected);
        }
    }
}
