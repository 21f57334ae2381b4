//! WebAssembly in releases, which the operator can allow.

use serde_json::json;

use crate::support::{Gateway, Release};

/// The header of an empty module.
const MODULE: &[u8] = b"\0asm\x01\0\0\0";

fn section() -> Release {
    Release::section("legal", "1.0.0", &["/terms"]).bytes("client/sum.wasm", "application/wasm", MODULE)
}

#[test]
fn wasm_is_rejected_with_the_key_to_set() {
    let gateway = Gateway::start();
    let response = gateway.put_release("legal", "1.0.0", section().archive());
    assert_eq!(response.status, 422, "{}", response.text());
    assert_eq!(
        response.json()["problems"],
        json!([
            "file `client/sum.wasm` is WebAssembly, which this site does not allow; the operator can set \
             `allow_wasm = true` in the table `assets` of the gateway's configuration"
        ])
    );
    assert!(!gateway.store().join("releases/legal").exists());
}

#[test]
fn allowed_wasm_is_served_and_may_be_compiled() {
    let gateway = Gateway::start_live("[assets]\nallow_wasm = true\n", &[]);
    gateway.publish(&section());
    gateway.deploy(&json!({ "legal": "1.0.0" }));
    let module = gateway.get("/assets/legal/1.0.0/sum.wasm");
    assert_eq!((module.status, &module.body[..]), (200, MODULE));
    assert_eq!(module.header("content-type"), "application/wasm");
    for target in ["/terms", "/assets/shell/1.0.0/main.js"] {
        let response = gateway.get(target);
        let policy = response.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "),
            "{target}: {policy}"
        );
    }
}
