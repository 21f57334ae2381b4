//! Headers that the gateway adds to what it sends to another server, such as an API key.

use std::path::Path;

use http::HeaderName;
use http::header::{
    CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use secrecy::SecretString;
use serde::{Deserialize as _, Deserializer};
use toml::Value;

use crate::config_file::ConfigFile;
use crate::secret::{SECRET, SecretSource};
use crate::value::{convert, wrong_type};

/// The headers that the gateway sets itself: the framing of a request, and where it goes.
pub(crate) const OWN_HEADERS: [HeaderName; 9] = [
    CONNECTION,
    CONTENT_LENGTH,
    COOKIE,
    EXPECT,
    HOST,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Where the value of each header is.
pub(crate) fn header_secrets<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(HeaderName, SecretSource)>, D::Error> {
    let expected =
        "a table of headers, each with { env = \"VARIABLE\" } or { file = \"path\" }, never the value itself";
    convert(deserializer, expected, |value| {
        let Value::Table(entries) = value else {
            return Err(wrong_type(value));
        };
        let entry = |(name, value): (&String, &Value)| {
            let header = HeaderName::try_from(name)
                .ok()
                .filter(|name| !OWN_HEADERS.contains(name));
            let header = header.ok_or_else(|| format!("`{name}` is not a header that can be added"))?;
            let source = SecretSource::deserialize(value.clone()).map_err(|error| {
                let message = error.message().split("; expected ").next().unwrap_or_default();
                format!("`{name}` {message}")
            })?;
            Ok((header, source))
        };
        entries.iter().map(entry).collect()
    })
}

/// Reads the values of the key at `path`. A relative path starts at `folder`. What cannot be read is
/// a problem of the file.
pub(crate) fn read_headers(
    sources: &[(HeaderName, SecretSource)],
    path: &[&str],
    folder: &Path,
    file: &mut ConfigFile<'_>,
) -> Vec<(HeaderName, SecretString)> {
    let mut headers = Vec::new();
    for (header, source) in sources {
        match source.read(folder) {
            Ok(secret) => headers.push((header.clone(), secret)),
            Err(wrong) => file.problem(&[path, &[header.as_str()]].concat(), &wrong, SECRET),
        }
    }
    headers
}
