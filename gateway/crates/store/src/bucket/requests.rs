//! Counting the requests to an object store, which cost money. Repeated ones count, too.

use std::pin::Pin;

use http::Method;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};

use crate::metrics::StoreMetrics;

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
        self.metrics.record_request(kind(&request));
        Box::pin(self.client.execute(request))
    }
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
