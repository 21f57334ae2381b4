//! `[listen]`: where the gateway listens, how, and whom it believes.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use ipnet::IpNet;
use toml::de::DeValue;

use super::certificate::{self, Certificate};
use super::reader::{Read, Table, text, texts, truth};
use crate::host::Host;

/// Where the gateway listens, how, and whom it believes.
#[derive(Debug)]
pub(crate) struct Listen {
    /// The address for visitors.
    pub(crate) site: SocketAddr,
    /// The address for operators.
    pub(crate) admin: SocketAddr,
    /// The certificate of the listener for visitors; it speaks in the clear without.
    pub(crate) tls: Option<Certificate>,
    /// The certificate of the listener for operators.
    pub(crate) admin_tls: Option<Certificate>,
    /// The hosts that visitors may ask for; any without.
    pub(crate) hosts: Vec<Host>,
    /// The hosts that operators may ask for besides addresses and `localhost`.
    pub(crate) admin_hosts: Vec<Host>,
    /// The proxies in front, which are believed when they say for whom they ask.
    pub(crate) proxies: Vec<IpNet>,
    /// Whether these proxies begin each connection with a PROXY header.
    pub(crate) proxy_protocol: bool,
}

const EXPECTED: &str = "an IP address and a port, such as 127.0.0.1:8080";
const HOSTS: &str = "a list of hosts, such as [\"site.example\"], each with a port if only that is meant";
const PROXIES: &str = "a list of addresses or networks, such as [\"10.0.0.0/8\", \"::1\"]";

/// Reads `[listen]`; relative paths start from `folder`.
pub(super) fn read(mut table: Table<'_>, folder: &Path) -> Option<Listen> {
    let parse = |text: String| {
        text.parse::<SocketAddr>()
            .map_err(|_| format!("`{text}` is no such address"))
    };
    let site = table.required("site", EXPECTED, |value| parse(text(value)?));
    let admin = table.required("admin", EXPECTED, |value| parse(text(value)?));
    let hosts = table.optional("hosts", HOSTS, read_hosts);
    let admin_hosts = table.optional("admin_hosts", HOSTS, read_hosts);
    let proxies = table.optional("proxies", PROXIES, |value| {
        texts(value)?
            .iter()
            .map(|text| network(text))
            .collect::<Read<Vec<_>>>()
    });
    let proxy_protocol = table.optional("proxy_protocol", "true or false", truth);
    if proxy_protocol == Some(Some(true)) && proxies.as_ref().is_some_and(Option::is_none) {
        table.refuse("proxy_protocol", "nobody is believed", "`proxies`, too");
    }
    let tls = below(&mut table, "tls", folder);
    let admin_tls = below(&mut table, "admin_tls", folder);
    // Tokens travel over this listener, so it is not reached from elsewhere in the clear.
    let admin = admin.filter(|address| {
        let safe = address.ip().is_loopback() || !matches!(admin_tls, Some(None));
        if !safe {
            table.refuse(
                "admin",
                &format!("{} can be reached from elsewhere", address.ip()),
                "a loopback address, or `[listen.admin_tls]`",
            );
        }
        safe
    });
    table.finish();
    Some(Listen {
        site: site?,
        admin: admin?,
        tls: tls?,
        admin_tls: admin_tls?,
        hosts: hosts?.unwrap_or_default(),
        admin_hosts: admin_hosts?.unwrap_or_default(),
        proxies: proxies?.unwrap_or_default(),
        proxy_protocol: proxy_protocol?.unwrap_or(false),
    })
}

/// A certificate that may be missing: `None` is a noted problem, `Some(None)` a missing table.
#[allow(clippy::option_option)]
fn below(table: &mut Table<'_>, key: &'static str, folder: &Path) -> Option<Option<Certificate>> {
    match table.optional_table(key) {
        Some(tls) => certificate::read(tls, folder).map(Some),
        None => Some(None),
    }
}

fn read_hosts(value: &DeValue<'_>) -> Read<Vec<Host>> {
    let host = |text: &String| Host::parse(text).ok_or_else(|| format!("`{text}` is no host"));
    let hosts: Read<Vec<_>> = texts(value)?.iter().map(host).collect();
    match hosts {
        // One reader would take it for any host, another for none.
        Ok(hosts) if hosts.is_empty() => Err("is empty".to_owned()),
        hosts => hosts,
    }
}

/// Reads a network, or one address as the network of it alone.
fn network(text: &str) -> Read<IpNet> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse::<IpNet>()
        .or_else(|_| address())
        .map(|network| network.trunc())
        .map_err(|_| format!("`{text}` is no address or network"))
}
