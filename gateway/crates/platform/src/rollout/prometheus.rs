//! Queries to the HTTP API of Prometheus.

use std::time::Duration;

use colonnade_config::Prometheus;
use colonnade_upstream::outbound_client;
use http::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::value::RawValue;
use url::{Url, form_urlencoded};

const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// How long a query may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The most bytes of a response. A single number has a few hundred.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// The most characters of an error of the server.
const MAX_ERROR_CHARS: usize = 200;

/// A server that answers queries.
pub(super) struct QueryServer {
    client: Client,
    url: Url,
    bearer_token: Option<SecretString>,
}

/// The HTTP client of Prometheus cannot be created, because the system's root certificates cannot
/// be loaded.
#[derive(Debug, thiserror::Error)]
#[error("Prometheus cannot be called over TLS: {0}")]
pub struct PrometheusError(#[from] reqwest::Error);

/// A query has no number as its result.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoData {
    #[error("Prometheus cannot be reached")]
    Unreachable,
    #[error("Prometheus did not respond within {} s", TIMEOUT.as_secs())]
    TimedOut,
    #[error("Prometheus responded with the status {0}, and not with the result of a query")]
    Status(u16),
    #[error("Prometheus refused the query: {0}")]
    Refused(String),
    #[error("the query has no result")]
    Empty,
    #[error("the query has {0} results instead of one: aggregate them, such as with `sum`")]
    Several(usize),
    #[error("the result is {0}")]
    NotANumber(String),
}

/// The response of `/api/v1/query`.
#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    data: Option<Data<'a>>,
    /// Instead of data.
    error: Option<String>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(rename = "resultType")]
    kind: String,
    #[serde(borrow)]
    result: &'a RawValue,
}

#[derive(Deserialize)]
struct Sample {
    value: (f64, String),
}

impl QueryServer {
    pub(super) fn new(settings: Prometheus) -> Result<Self, PrometheusError> {
        let mut url = settings.url;
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{path}/api/v1/query"));
        Ok(Self {
            client: outbound_client(&url).timeout(TIMEOUT).build()?,
            url,
            bearer_token: settings.bearer_token,
        })
    }

    /// The only number that a query has as its result now.
    pub(super) async fn query(&self, query: &str) -> Result<f64, NoData> {
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("query", query)
            .finish();
        let request = self.client.post(self.url.clone()).header(CONTENT_TYPE, FORM);
        let mut request = request.body(form);
        if let Some(token) = &self.bearer_token {
            request = request.bearer_auth(token.expose_secret());
        }
        let response = request.send().await.map_err(|error| NoData::of(&error))?;
        let status = response.status().as_u16();
        let body = read(response).await?;
        match serde_json::from_slice(&body) {
            Ok(Answer { data: Some(data), .. }) => number(&data),
            Ok(Answer {
                error: Some(error), ..
            }) => Err(NoData::Refused(short(&error))),
            _ => Err(NoData::Status(status)),
        }
    }
}

impl NoData {
    fn of(error: &reqwest::Error) -> Self {
        if error.is_timeout() {
            Self::TimedOut
        } else {
            Self::Unreachable
        }
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, NoData> {
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| NoData::of(&error))? {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(NoData::Status(status));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The number in a scalar, or in a vector with one sample.
fn number(data: &Data<'_>) -> Result<f64, NoData> {
    let text = data.result.get();
    let value: (f64, String) = if data.kind == "scalar" {
        serde_json::from_str(text).map_err(|_| NoData::Empty)?
    } else {
        let mut samples: Vec<Sample> = serde_json::from_str(text).map_err(|_| NoData::Empty)?;
        match samples.len() {
            1 => samples.remove(0).value,
            0 => return Err(NoData::Empty),
            several => return Err(NoData::Several(several)),
        }
    };
    let (_, value) = value;
    let number = value.parse().ok().filter(|number: &f64| !number.is_nan());
    number.ok_or(NoData::NotANumber(value))
}

/// The text of the server, in one line.
fn short(text: &str) -> String {
    let line = text
        .chars()
        .map(|char| if char.is_control() { ' ' } else { char });
    line.take(MAX_ERROR_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::{Answer, NoData, number};

    fn result(kind: &str, result: &str) -> Result<f64, NoData> {
        let text = format!(r#"{{"status":"success","data":{{"resultType":"{kind}","result":{result}}}}}"#);
        let answer: Answer<'_> = serde_json::from_str(&text).expect("a response");
        number(&answer.data.expect("data"))
    }

    #[test]
    fn only_a_single_number_is_data() {
        let one = r#"[{"metric":{},"value":[1700000000.5,"0.25"]}]"#;
        assert_eq!(result("vector", one).ok(), Some(0.25));
        assert_eq!(result("scalar", r#"[1700000000,"3"]"#).ok(), Some(3.0));
        assert_eq!(
            result("scalar", r#"[1700000000,"+Inf"]"#).ok(),
            Some(f64::INFINITY)
        );
        let two = r#"[{"metric":{},"value":[1,"1"]},{"metric":{},"value":[1,"2"]}]"#;
        assert!(matches!(result("vector", two), Err(NoData::Several(2))));
        assert!(matches!(result("vector", "[]"), Err(NoData::Empty)));
        assert!(matches!(
            result("scalar", r#"[1,"NaN"]"#),
            Err(NoData::NotANumber(_))
        ));
        assert!(result("matrix", r#"[{"metric":{},"values":[[1,"1"]]}]"#).is_err());
        assert!(result("string", r#"[1,"text"]"#).is_err());
    }
}
