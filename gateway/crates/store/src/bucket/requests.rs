//! The requests to an object store: counting them, because they cost money, refusing redirects, and
//! checking lists.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::LOCATION;
use http::{Method, StatusCode};
use memchr::memmem;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::Client;
use reqwest::redirect::Policy;
use rustls::ClientConfig;

use crate::metrics::StoreMetrics;

/// The elements that contain a list: in the protocols of S3 and Google, and in that of Azure.
const LISTS: [&[u8]; 2] = [b"<ListBucketResult", b"<EnumerationResults"];

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a connection without TLS may take, to this machine or to the metadata service.
const LOCAL_CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the object store may send nothing.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a request may take, with the transfer of a large file.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(2);

/// Where such an element begins at the latest, after a declaration.
const MAX_START: usize = 256;

/// Connects clients that count their requests, follow no redirects and check lists.
#[derive(Debug)]
pub(super) struct CountRequests {
    pub(super) metrics: StoreMetrics,
    /// How the object store is verified, if not by the roots of the system.
    pub(super) tls: Option<Arc<ClientConfig>>,
}

#[derive(Debug)]
struct Counted {
    client: HttpClient,
    metrics: StoreMetrics,
}

impl HttpConnector for CountRequests {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = HttpClient::new(client(options, self.tls.as_ref())?);
        let metrics = self.metrics.clone();
        Ok(HttpClient::new(Counted { client, metrics }))
    }
}

/// A client that follows no redirects, which the library's own does: another server would get what
/// is written and could answer reads. Of the options, only the permission to do without TLS differs
/// between clients.
fn client(options: &ClientOptions, tls: Option<&Arc<ClientConfig>>) -> object_store::Result<Client> {
    let allow_http = options.get_config_value(&ClientConfigKey::AllowHttp);
    let is_local = allow_http.as_deref() == Some("true");
    let mut client = Client::builder()
        .user_agent(concat!("colonnade-gateway/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .https_only(!is_local)
        .http1_only()
        .connect_timeout(if is_local {
            LOCAL_CONNECT_TIMEOUT
        } else {
            CONNECT_TIMEOUT
        })
        .read_timeout(READ_TIMEOUT)
        .timeout(REQUEST_TIMEOUT);
    if let Some(tls) = tls {
        client = client.tls_backend_preconfigured(ClientConfig::clone(tls));
    }
    client.build().map_err(|error| object_store::Error::Generic {
        store: "HTTP client",
        source: error.into(),
    })
}

impl HttpService for Counted {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        self.metrics.record_request(kind(&request));
        let is_list = is_list(&request);
        Box::pin(async move {
            let mut response = self.client.execute(request).await?;
            // The library says that a redirect is one only if it does not say where to.
            response.headers_mut().remove(LOCATION);
            if is_list && response.status().is_success() {
                return check_list(response).await;
            }
            Ok(response)
        })
    }
}

/// Gives a response that is no whole list the status 500, so that it is repeated: the library reads
/// an error as an empty list, and garbage collection would take everything for unused.
async fn check_list(response: HttpResponse) -> Result<HttpResponse, HttpError> {
    let (mut head, body) = response.into_parts();
    let body = body.bytes().await?;
    if !is_whole_list(&body) {
        head.status = StatusCode::INTERNAL_SERVER_ERROR;
    }
    Ok(HttpResponse::from_parts(head, HttpResponseBody::from(body)))
}

/// Whether this is a list, and says how to get the rest if there is more.
fn is_whole_list(body: &[u8]) -> bool {
    let has = |part: &[u8], text: &[u8]| memmem::find(part, text).is_some();
    let body = body.trim_ascii_start();
    let start = &body[..body.len().min(MAX_START)];
    LISTS.iter().any(|root| has(start, root))
        && (!has(body, b"<IsTruncated>true<") || has(body, b"<NextContinuationToken>"))
}

fn is_list(request: &HttpRequest) -> bool {
    let query = request.uri().query().unwrap_or_default();
    let mut parameters = query.split('&');
    *request.method() == Method::GET
        && parameters.any(|parameter| parameter.starts_with("list-type=") || parameter == "comp=list")
}

/// What providers charge by.
fn kind(request: &HttpRequest) -> &'static str {
    let query = request.uri().query().unwrap_or_default();
    match *request.method() {
        Method::GET if is_list(request) => "list",
        Method::GET | Method::HEAD => "get",
        Method::PUT => "put",
        Method::DELETE => "delete",
        // S3 deletes objects in bulk, also a single one.
        Method::POST if query.split('&').any(|parameter| parameter == "delete") => "delete",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::is_whole_list;

    #[test]
    fn whole_lists_of_each_provider_are_accepted() {
        let lists = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
             <IsTruncated>false</IsTruncated></ListBucketResult>",
            "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>",
            "<?xml version='1.0' encoding='UTF-8'?><ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'/>",
            "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ServiceEndpoint=\"https://a.example/\"/>",
        ];
        for list in lists {
            assert!(is_whole_list(list.as_bytes()), "{list}");
            assert!(is_whole_list(format!("{}{list}", " ".repeat(1000)).as_bytes()));
        }
    }

    #[test]
    fn errors_and_parts_of_lists_are_rejected() {
        let others = [
            "",
            "<!doctype html><title>Sign in</title>",
            "<?xml version=\"1.0\"?><Error><Code>InternalError</Code></Error>",
            // The first page of an older version of the protocol.
            "<ListBucketResult><IsTruncated>true</IsTruncated><Marker/></ListBucketResult>",
        ];
        for other in others {
            assert!(!is_whole_list(other.as_bytes()), "{other}");
        }
    }
}
