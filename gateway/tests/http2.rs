//! HTTP/2 over cleartext.

use crate::support::{Exchange, Gateway};

#[test]
fn http2_serves_document_and_head_without_body() {
    let gateway = Gateway::start_live("", &[]);
    for (method, body) in [("GET", gateway.get("/").body), ("HEAD", Vec::new())] {
        let response = Exchange::new(gateway.site, method, &[]);
        assert!(response.is_ok && response.body == body, "{method}");
    }
}
