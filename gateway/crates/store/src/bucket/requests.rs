//! The requests to an object store: counting them, because they cost money, and checking lists.

use std::pin::Pin;

use http::{Method, StatusCode};
use memchr::memmem;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
    ReqwestConnector,
};

use crate::metrics::StoreMetrics;

/// The elements that contain a list: in the protocols of S3 and Google, and in that of Azure.
const LISTS: [&[u8]; 2] = [b"<ListBucketResult", b"<EnumerationResults"];

/// Where such an element begins at the latest, after a declaration.
const MAX_START: usize = 256;

/// Connects clients that count their requests.
#[derive(Debug)]
pub(super) struct CountRequests(pub(super) StoreMetrics);

#[derive(Debug)]
struct Counted {
    client: HttpClient,
    metrics: StoreMetrics,
}

impl HttpConnector for CountRequests {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        let metrics = self.0.clone();
        Ok(HttpClient::new(Counted { client, metrics }))
    }
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
        let kind = kind(&request);
        // Repeated requests count, too.
        self.metrics.record_request(kind);
        Box::pin(async move {
            let response = self.client.execute(request).await?;
            if kind == "list" && response.status().is_success() {
                return check_list(response).await;
            }
            Ok(response)
        })
    }
}

/// Gives an error in place of a list the status 500: the library takes a list without entries from it, and garbage collection would
/// take everything for unused.
async fn check_list(response: HttpResponse) -> Result<HttpResponse, HttpError> {
    let (mut head, body) = response.into_parts();
    let body = body.bytes().await?;
    let start = &body[..body.len().min(MAX_START)];
    if !LISTS.iter().any(|root| memmem::find(start, root).is_some()) {
        head.status = StatusCode::INTERNAL_SERVER_ERROR;
    }
    Ok(HttpResponse::from_parts(head, HttpResponseBody::from(body)))
}

/// What providers charge by.
fn kind(request: &HttpRequest) -> &'static str {
    // Each provider has one of these parameters in the query of a list.
    let query = request.uri().query().unwrap_or_default();
    let is_list = ["list-type=", "comp=list", "prefix="]
        .iter()
        .any(|parameter| query.contains(parameter));
    match *request.method() {
        Method::GET if is_list => "list",
        Method::GET | Method::HEAD => "get",
        Method::PUT => "put",
        Method::DELETE => "delete",
        // S3 deletes objects in bulk, also a single one.
        Method::POST if query.split('&').any(|parameter| parameter == "delete") => "delete",
        _ => "other",
    }
}
