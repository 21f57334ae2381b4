//! HTTP/2 over cleartext.

use crate::support::{Exchange, Gateway};

#[test]
fn a_document_is_served_over_http2() {
    let gateway = Gateway::start_live("", &[]);
    let answer = Exchange::new(gateway.site, "GET", &[]);
    assert!(answer.is_ok);
    assert_eq!(answer.body, gateway.get("/").body);
}

#[test]
fn head_over_http2_has_no_body() {
    let gateway = Gateway::start_live("", &[]);
    let answer = Exchange::new(gateway.site, "HEAD", &[]);
    assert!(answer.is_ok);
    assert_eq!(answer.body, b"");
}
