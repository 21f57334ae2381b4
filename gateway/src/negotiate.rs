//! Which form of a body a request gets: content coding (RFC 9110, 12.5.3) and validators (13.1.2).

use std::fmt;

use http::HeaderMap;
use http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use serde::{Deserialize, Serialize};

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Coding {
    /// As it is.
    Identity,
    /// gzip.
    Gzip,
    /// Brotli.
    Br,
}

impl Coding {
    /// Its name in `Content-Encoding`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Br => "br",
        }
    }
}

impl fmt::Display for Coding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The best coding among those there are: the one with the highest weight, of several the smallest. `Identity` is
/// always there, and is what a client gets that accepts nothing.
pub(crate) fn coding(headers: &HeaderMap, available: &[Coding]) -> Coding {
    let weights = Weights::read(headers);
    let candidates = [Coding::Br, Coding::Gzip]
        .into_iter()
        .filter(|coding| available.contains(coding));
    let mut best = (Coding::Identity, weights.of(Coding::Identity));
    // Later ones win a tie, and no client wants identity more than a smaller answer it weighs the same.
    for candidate in candidates.rev() {
        let weight = weights.of(candidate);
        if weight > 0 && weight >= best.1 {
            best = (candidate, weight);
        }
    }
    best.0
}

/// Whether the client already has what it would be sent. `etag` is strong; the comparison is the weak one, as the
/// RFC asks of If-None-Match.
pub(crate) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|candidate| candidate == "*" || candidate.strip_prefix("W/").unwrap_or(candidate) == etag)
}

/// The weights of an Accept-Encoding header, in thousandths.
struct Weights {
    named: Vec<(String, u16)>,
    any: Option<u16>,
}

impl Weights {
    fn read(headers: &HeaderMap) -> Self {
        let mut weights = Self {
            named: Vec::new(),
            any: None,
        };
        let values = headers
            .get_all(ACCEPT_ENCODING)
            .iter()
            .filter_map(|value| value.to_str().ok());
        for item in values.flat_map(|value| value.split(',')) {
            let mut parts = item.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default().to_ascii_lowercase();
            let weight = parts.find_map(weight).unwrap_or(1000);
            match name.as_str() {
                "" => {}
                "*" => weights.any = Some(weight),
                _ => weights.named.push((name, weight)),
            }
        }
        weights
    }

    fn of(&self, coding: Coding) -> u16 {
        let named = self
            .named
            .iter()
            .find(|(name, _)| name == coding.name() || name == alias(coding));
        match (named, self.any, coding) {
            (Some((_, weight)), _, _) => *weight,
            // Identity is acceptable unless it is refused; where others are named it is the last resort.
            (None, None | Some(1..), Coding::Identity) => 1,
            (None, Some(weight), _) => weight,
            (None, None, _) => 0,
        }
    }
}

fn alias(coding: Coding) -> &'static str {
    if coding == Coding::Gzip {
        "x-gzip"
    } else {
        coding.name()
    }
}

/// Reads `q=0.5` in thousandths; anything that is no weight counts as none at all.
fn weight(parameter: &str) -> Option<u16> {
    let value = parameter
        .strip_prefix("q=")
        .or_else(|| parameter.strip_prefix("Q="))?;
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

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::{ACCEPT_ENCODING, Coding, IF_NONE_MATCH, coding, is_known};

    fn accepting(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))])
    }

    #[test]
    fn coding_is_the_heaviest_then_the_smallest() {
        let all = [Coding::Br, Coding::Gzip];
        let cases = [
            ("gzip, deflate, br, zstd", Coding::Br),
            ("gzip", Coding::Gzip),
            ("x-gzip", Coding::Gzip),
            ("GZIP", Coding::Gzip),
            ("br;q=0.5, gzip;q=0.9", Coding::Gzip),
            ("br;q=0, gzip", Coding::Gzip),
            ("*", Coding::Br),
            ("*;q=0.1", Coding::Br),
            ("br;q=0, *", Coding::Gzip),
            ("identity", Coding::Identity),
            ("identity;q=0.5, gzip;q=0.4", Coding::Identity),
            ("identity, gzip", Coding::Gzip),
            ("", Coding::Identity),
            ("deflate", Coding::Identity),
            ("identity;q=0", Coding::Identity),
            ("*;q=0", Coding::Identity),
            ("gzip;q=nonsense", Coding::Gzip),
        ];
        for (header, expected) in cases {
            assert_eq!(coding(&accepting(header), &all), expected, "{header:?}");
        }
        assert_eq!(coding(&HeaderMap::new(), &all), Coding::Identity);
        assert_eq!(coding(&accepting("br, gzip"), &[Coding::Gzip]), Coding::Gzip);
    }

    #[test]
    fn known_is_any_listed_tag_or_a_star() {
        let known = |value| {
            is_known(
                &HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_static(value))]),
                "\"a\"",
            )
        };
        assert!(known("\"a\""));
        assert!(known("W/\"a\""));
        assert!(known("\"b\", \"a\""));
        assert!(known("*"));
        assert!(!known("\"b\""));
        assert!(!known("a"));
    }
}
