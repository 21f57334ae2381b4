//! Client certificates (RFC 5280): who shows one.

use jiff::Timestamp;
use serde_json::Value;
use x509_parser::prelude::{FromDer as _, GeneralName, X509Certificate};

use colonnade_config::{CERTIFICATE_CLAIMS, CLIENT_CERTIFICATE};

use crate::types::{Holder, is_name};

impl Holder {
    /// The holder of a certificate, in DER, that the handshake verified; `None` if it names nobody. The
    /// claims are its names, by their kinds, and the subject is the first of them.
    pub fn of_certificate(der: &[u8]) -> Option<Self> {
        let (_, certificate) = X509Certificate::from_der(der).ok()?;
        let alternative = certificate.subject_alternative_name().ok()?;
        let alternative = || alternative.iter().flat_map(|names| &names.value.general_names);
        let of_kind = |kind: fn(&GeneralName<'_>) -> Option<String>| named(alternative().filter_map(kind));
        let common_names = certificate.subject().iter_common_name();
        let common_names = common_names.filter_map(|name| Some(name.as_str().ok()?.to_owned()));
        let names = [
            of_kind(|name| match name {
                GeneralName::URI(uri) => Some((*uri).to_owned()),
                _ => None,
            }),
            of_kind(|name| match name {
                GeneralName::DNSName(name) => Some(name.to_ascii_lowercase()),
                _ => None,
            }),
            of_kind(|name| match name {
                GeneralName::RFC822Name(address) => Some((*address).to_owned()),
                _ => None,
            }),
            named(common_names),
        ];
        let subject = names.iter().flatten().next()?.clone();
        let claims = CERTIFICATE_CLAIMS.into_iter().zip(names);
        let claims = claims.map(|(claim, names)| (claim.to_owned(), Value::from(names)));
        Some(Self {
            provider: CLIENT_CERTIFICATE.to_owned(),
            issuer: certificate.issuer().to_string(),
            name: subject.clone(),
            subject,
            expires: Timestamp::from_second(certificate.validity().not_after.timestamp()).ok()?,
            claims: claims.collect(),
        })
    }
}

/// The names that the history and the log can have.
fn named(names: impl Iterator<Item = String>) -> Vec<String> {
    names.filter(|name| is_name(name)).collect()
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair, SanType, date_time_ymd};
    use serde_json::json;

    use super::Holder;

    fn holder(common_name: &str, names: Vec<SanType>) -> Option<Holder> {
        let mut parameters = CertificateParams::default();
        parameters
            .distinguished_name
            .push(DnType::CommonName, common_name);
        parameters.subject_alt_names = names;
        parameters.not_after = date_time_ymd(2030, 1, 31);
        let key = KeyPair::generate().expect("a key");
        let certificate = parameters.self_signed(&key).expect("a certificate");
        Holder::of_certificate(certificate.der())
    }

    #[test]
    fn subject_of_certificate_is_its_first_name_by_kind() {
        let text = |text: &str| text.try_into().expect("ASCII");
        let uri = SanType::URI(text("spiffe://acme.example/ci"));
        let email = SanType::Rfc822Name(text("ada@acme.example"));
        let dns = SanType::DnsName(text("CI.acme.example"));
        let all = holder("ci", vec![email.clone(), dns.clone(), uri]).expect("names");
        assert_eq!(all.subject, "spiffe://acme.example/ci");
        assert_eq!(all.issuer, "CN=ci");
        assert_eq!(all.expires.to_string(), "2030-01-31T00:00:00Z");
        let claims = json!({
            "uri": ["spiffe://acme.example/ci"], "dns": ["ci.acme.example"], "email": ["ada@acme.example"],
            "common_name": ["ci"],
        });
        assert_eq!(json!(all.claims), claims);
        for (common_name, names, subject) in [
            ("ci", vec![email.clone(), dns], Some("ci.acme.example")),
            ("ci", vec![email], Some("ada@acme.example")),
            ("ci", vec![], Some("ci")),
            ("a\nb", vec![], None),
        ] {
            let holder = holder(common_name, names);
            assert_eq!(holder.as_ref().map(|holder| &*holder.subject), subject);
        }
        assert!(Holder::of_certificate(b"no certificate").is_none());
    }
}
