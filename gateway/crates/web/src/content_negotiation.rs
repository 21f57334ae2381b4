//! Content negotiation: choosing a content coding by `Accept-Encoding`, and between HTML and JSON
//! by `Accept` (RFC 9110, section 12.5).

use std::fmt;

use http::HeaderMap;
use http::header::{ACCEPT, ACCEPT_ENCODING};
use serde::{Deserialize, Serialize};

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coding {
    /// Not encoded.
    Identity,
    /// gzip.
    Gzip,
    /// Zstandard with a window of at most 8 MiB (RFC 9659).
    Zstd,
    /// Brotli.
    Br,
}

impl Coding {
    /// The name in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Br => "br",
        }
    }
}

impl fmt::Display for Coding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the available coding with the highest weight. Codings of equal weight rank by size:
/// Brotli, Zstandard, gzip, identity.
///
/// `Identity` is always available, and a client that accepts no available coding gets it: it can
/// more likely use that than an error, and RFC 9110 permits both (sections 12.5.3 and 15.5.16).
pub fn preferred_coding(headers: &HeaderMap, available: &[Coding]) -> Coding {
    let weights = Weights::read(headers);
    let mut best = (Coding::Identity, weights.of(Coding::Identity));
    // The last of equal weight wins: the order is from the largest to the smallest.
    for candidate in [Coding::Gzip, Coding::Zstd, Coding::Br] {
        let weight = weights.of(candidate);
        if weight > 0 && weight >= best.1 && available.contains(&candidate) {
            best = (candidate, weight);
        }
    }
    best.0
}

/// Returns whether a client prefers an HTML page to JSON: it names `text/html`, as browsers do when
/// they follow a link or send a form.
pub fn prefers_html(headers: &HeaderMap) -> bool {
    prefers(headers, "text/html", "application/json")
}

/// Returns whether a client prefers a media type to another: it names that type. Wildcards do not
/// count: scripts send them by default.
pub fn prefers(headers: &HeaderMap, preferred: &str, usual: &str) -> bool {
    let values = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let (mut of_preferred, mut of_usual) = (0, 0);
    for item in values.flat_map(|value| value.split(',')) {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let named = if name.eq_ignore_ascii_case(preferred) {
            &mut of_preferred
        } else if name.eq_ignore_ascii_case(usual) {
            &mut of_usual
        } else {
            continue;
        };
        *named = parts.map(str::as_bytes).find_map(weight).unwrap_or(1000);
    }
    of_preferred > of_usual
}

/// The weights of an `Accept-Encoding` header in thousandths. If a coding is listed twice, the
/// first one counts.
#[derive(Debug, Default)]
struct Weights {
    identity: Option<u16>,
    gzip: Option<u16>,
    zstd: Option<u16>,
    br: Option<u16>,
    any: Option<u16>,
}

impl Weights {
    fn read(headers: &HeaderMap) -> Self {
        let mut weights = Self::default();
        let values = headers.get_all(ACCEPT_ENCODING).iter();
        let values = values.filter_map(|value| value.to_str().ok());
        // Splitting bytes takes less time: most items are short.
        for item in values.flat_map(|value| value.as_bytes().split(|&byte| byte == b',')) {
            let mut parts = item.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
            let name = parts.next().unwrap_or_default();
            if let Some(named) = weights.named(name)
                && named.is_none()
            {
                *named = Some(parts.find_map(weight).unwrap_or(1000));
            }
        }
        weights
    }

    fn named(&mut self, name: &[u8]) -> Option<&mut Option<u16>> {
        let is = |other: &[u8]| name.eq_ignore_ascii_case(other);
        match name {
            b"*" => Some(&mut self.any),
            _ if is(b"br") => Some(&mut self.br),
            _ if is(b"zstd") => Some(&mut self.zstd),
            _ if is(b"gzip") || is(b"x-gzip") => Some(&mut self.gzip),
            _ if is(b"identity") => Some(&mut self.identity),
            _ => None,
        }
    }

    fn of(&self, coding: Coding) -> u16 {
        let named = match coding {
            Coding::Identity => self.identity,
            Coding::Gzip => self.gzip,
            Coding::Zstd => self.zstd,
            Coding::Br => self.br,
        };
        // Identity is acceptable unless it is excluded. If it is not listed, every listed coding is
        // better.
        if coding == Coding::Identity && named.is_none() && self.any != Some(0) {
            return 1;
        }
        named.or(self.any).unwrap_or(0)
    }
}

/// Parses `q=0.5` to thousandths. Returns `None` for any other parameter and for an invalid weight.
fn weight(parameter: &[u8]) -> Option<u16> {
    let value = parameter
        .strip_prefix(b"q=")
        .or_else(|| parameter.strip_prefix(b"Q="))?;
    let value = str::from_utf8(value).ok()?;
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    match whole {
        "1" => Some(1000),
        "0" => format!("{fraction:0<3}").parse().ok(),
        _ => None,
    }
}

/// Checks the invariants of [`preferred_coding`]: the result is available, accepted and not
/// excluded.
///
/// # Panics
///
/// Panics if an invariant is broken.
#[cfg(any(test, feature = "testing"))]
pub fn fuzz(request: &HeaderMap) {
    const ALL: [Coding; 3] = [Coding::Gzip, Coding::Zstd, Coding::Br];
    for available in [&ALL[..], &ALL[..1], &ALL[1..], &[]] {
        let chosen = preferred_coding(request, available);
        let mut backwards = available.to_vec();
        backwards.reverse();
        assert_eq!(
            preferred_coding(request, &backwards),
            chosen,
            "the order of the available codings does not matter"
        );
        if chosen == Coding::Identity {
            continue;
        }
        assert!(available.contains(&chosen), "{chosen} is not available");
        let weight = parameters_of(request, chosen).or_else(|| parameters_of(request, "*"));
        let weight = weight.expect("the coding or * is listed");
        let is_excluded =
            ["q=0", "q=0.", "q=0.0", "q=0.00", "q=0.000"].contains(&weight.to_ascii_lowercase().as_str());
        assert!(!is_excluded, "{chosen} is excluded");
    }
}

/// The parameters of the first item that lists a coding.
#[cfg(any(test, feature = "testing"))]
fn parameters_of(request: &HeaderMap, name: impl fmt::Display) -> Option<String> {
    let name = name.to_string();
    let values = request
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).find_map(|item| {
        let (named, rest) = item.split_once(';').unwrap_or((item, ""));
        let named = named.trim().to_ascii_lowercase();
        let named = if named == "x-gzip" { "gzip" } else { &named };
        (named == name).then(|| rest.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};
    use proptest::prelude::{Strategy, any, prop_oneof, proptest};
    use proptest::{collection, sample};

    use super::{ACCEPT_ENCODING, Coding, fuzz, preferred_coding};

    const ALL: [Coding; 3] = [Coding::Br, Coding::Gzip, Coding::Zstd];

    fn accepting(value: &[u8]) -> HeaderMap {
        let value = HeaderValue::from_bytes(value).expect("a header's value");
        HeaderMap::from_iter([(ACCEPT_ENCODING, value)])
    }

    #[test]
    fn highest_weight_wins_then_smallest_coding() {
        let cases = [
            ("gzip, deflate, br, zstd", Coding::Br),
            ("gzip, deflate, zstd", Coding::Zstd),
            ("gzip", Coding::Gzip),
            ("x-gzip", Coding::Gzip),
            ("GZIP", Coding::Gzip),
            ("br;q=0.5, gzip;q=0.9", Coding::Gzip),
            ("br;q=0.5, gzip;q=0.9, zstd", Coding::Zstd),
            ("br;q=0, gzip", Coding::Gzip),
            ("*", Coding::Br),
            ("*;q=0.1", Coding::Br),
            ("br;q=0, *", Coding::Zstd),
            ("br;q=0, zstd;q=0, *", Coding::Gzip),
            ("*;q=0, gzip", Coding::Gzip),
            ("identity", Coding::Identity),
            ("identity;q=0.5, gzip;q=0.4", Coding::Identity),
            ("identity, gzip", Coding::Gzip),
            ("identity;q=0, gzip;q=0.001", Coding::Gzip),
            ("identity;q=0, *;q=0.001", Coding::Br),
            ("", Coding::Identity),
            ("deflate", Coding::Identity),
            ("identity;q=0", Coding::Identity),
            ("*;q=0", Coding::Identity),
            ("gzip;q=nonsense", Coding::Gzip),
        ];
        for (header, expected) in cases {
            assert_eq!(
                preferred_coding(&accepting(header.as_bytes()), &ALL),
                expected,
                "{header:?}"
            );
        }
        assert_eq!(preferred_coding(&HeaderMap::new(), &ALL), Coding::Identity);
        assert_eq!(
            preferred_coding(&accepting(b"br, gzip"), &[Coding::Gzip]),
            Coding::Gzip
        );
    }

    /// Arbitrary text, sometimes close to a valid header.
    fn headers() -> impl Strategy<Value = Vec<u8>> {
        const WORDS: &[&str] = &[
            "gzip", "br", "zstd", "identity", "*", "x", "q=0", "q=1.000", "q=0.5", ",", ";", " ", "=",
        ];
        let nearly = collection::vec(sample::select(WORDS), 0..12).prop_map(|words| words.concat().into());
        prop_oneof![nearly, collection::vec(32_u8..127, 0..40)]
    }

    proptest! {
        #[test]
        fn chosen_coding_is_available_and_accepted(header in headers(), twice in any::<bool>()) {
            let mut headers = accepting(&header);
            if twice {
                headers.append(ACCEPT_ENCODING, HeaderValue::from_static("gzip;q=0"));
            }
            fuzz(&headers);
        }

        #[test]
        fn excluded_coding_is_never_chosen(excluded in sample::select(&ALL[..]), header in headers()) {
            let mut value = format!("{excluded};q=0, ").into_bytes();
            value.extend(header);
            assert_ne!(preferred_coding(&accepting(&value), &ALL), excluded);
        }
    }
}
