//! `[listen.hsts]`: HTTP Strict Transport Security (RFC 6797).

use http::HeaderValue;
use serde::Deserialize;

use crate::config_file::ConfigFile;
use crate::value::integer;

/// One year, in seconds.
const YEAR: u64 = 365 * 24 * 60 * 60;

/// The longest time, in seconds. A longer one was probably meant in another unit.
const TEN_YEARS: u64 = 10 * YEAR;

/// What browsers are told about plain HTTP. Only sites with an https origin tell them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hsts {
    #[serde(deserialize_with = "integer::<0, TEN_YEARS, _, _>")]
    max_age_seconds: u64,
    include_subdomains: bool,
    preload: bool,
}

impl Default for Hsts {
    /// One year, without subdomains: the gateway cannot know them.
    fn default() -> Self {
        Self {
            max_age_seconds: YEAR,
            include_subdomains: false,
            preload: false,
        }
    }
}

impl Hsts {
    /// The value of `Strict-Transport-Security`.
    pub fn header_value(&self) -> HeaderValue {
        let mut value = format!("max-age={}", self.max_age_seconds);
        if self.include_subdomains {
            value += "; includeSubDomains";
        }
        if self.preload {
            value += "; preload";
        }
        // Only ASCII: never the fallback.
        HeaderValue::from_str(&value).unwrap_or(HeaderValue::from_static("max-age=0"))
    }

    /// Warns if the preload lists of browsers would not take the site.
    pub(crate) fn warn(&self, file: &mut ConfigFile<'_>) {
        if self.preload && !(self.include_subdomains && self.max_age_seconds >= YEAR) {
            let wrong = "preload lists reject the site";
            let expected = "`include_subdomains = true` and `max_age_seconds` of at least one year, too";
            file.warning(&["listen", "hsts", "preload"], wrong, expected);
        }
    }
}
