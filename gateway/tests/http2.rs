//! HTTP/2 over cleartext.

use crate::support::{Exchange, Gateway};

#[test]
fn http2_serves_document() {
    let gateway = Gateway::start_live("", &[]);
    let response = Exchange::new(gateway.site, "GET", &[]);
    assert!(response.is_ok);
    assert_eq!(response.body, gateway.get("/").body);
}

#[test]
fn http2_head_response_has_no_body() {
    let gateway = Gateway::start_live("", &[]);
    let response = Exchange::new(gateway.site, "HEAD", &[]);
    assert!(response.is_ok);
    assert_eq!(response.body, b"");
}
