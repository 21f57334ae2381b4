//! `[listen]`: where the gateway listens.

use std::net::SocketAddr;

use super::reader::{Table, text};

/// The addresses of the two listeners.
#[derive(Debug)]
pub(crate) struct Listen {
    /// For visitors.
    pub(crate) site: SocketAddr,
    /// For operators.
    pub(crate) admin: SocketAddr,
}

const EXPECTED: &str = "an IP address and a port, such as 127.0.0.1:8080";

/// Reads `[listen]`.
pub(super) fn read(mut table: Table<'_>) -> Option<Listen> {
    let parse = |text: String| {
        text.parse::<SocketAddr>()
            .map_err(|_| format!("`{text}` is no such address"))
    };
    let site = table.required("site", EXPECTED, |value| parse(text(value)?));
    let admin = table.required("admin", EXPECTED, |value| parse(text(value)?));
    // Tokens travel over this listener, so it may not be reached from elsewhere while it has no TLS.
    let admin = admin.filter(|address| {
        let loopback = address.ip().is_loopback();
        if !loopback {
            table.refuse(
                "admin",
                &format!("{} can be reached from elsewhere", address.ip()),
                "a loopback address",
            );
        }
        loopback
    });
    table.finish();
    Some(Listen {
        site: site?,
        admin: admin?,
    })
}
