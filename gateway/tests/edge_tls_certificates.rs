//! Several certificates on one listener: selection by host name (SNI), reloads and checks.

use std::sync::Arc;

use tempfile::TempDir;

use crate::support::{
    Certificate, Gateway, Setup, Successor, configuration, configuration_with_listen, run_gateway, wait_until,
};

/// The name that every new certificate is for.
const SITE: &str = "site.example";

/// A certificate for a host, written to a folder of its own. Returns the configuration table, too.
fn written(host: &str, parent: &TempDir) -> (Certificate, String) {
    let folder = parent.path().join(host.replace('*', "wildcard"));
    std::fs::create_dir_all(&folder).unwrap();
    let certificate = Certificate::valid_in(host, 2001..2999);
    let table = certificate.write(&folder).additional_table();
    (certificate, table)
}

#[test]
fn sni_selects_certificate_of_host() {
    let folder = Arc::new(TempDir::new().unwrap());
    let default = Certificate::new();
    let (www, www_table) = written("www.site.example", &folder);
    let (wildcard, wildcard_table) = written("*.site.example", &folder);
    let table = default.write(folder.path()).table("tls");
    let gateway = Gateway::start_in(Arc::clone(&folder), &(table + &wildcard_table + &www_table));
    for (host, expected) in [
        (SITE, &default),
        ("www.site.example", &www),
        ("WWW.site.example", &www),
        ("other.site.example", &wildcard),
    ] {
        assert!(expected.serves(host, &gateway.site), "{host}");
    }
    // A wildcard stands for one label.
    assert!(!wildcard.serves("a.b.site.example", &gateway.site));
    // The default certificate for clients that name no host.
    assert!(default.serves_without_name(&gateway.site));
}

#[test]
fn reload_adds_renews_and_removes_certificates() {
    let folder = Arc::new(TempDir::new().unwrap());
    let default = Certificate::new();
    let table = default.write(folder.path()).table("tls");
    let gateway = Gateway::start_in(Arc::clone(&folder), &table);
    let (www, additional) = written("www.site.example", &folder);
    assert!(!www.serves("www.site.example", &gateway.site));
    gateway.reload(&configuration(&(table.clone() + &additional)));
    wait_until("the additional certificate is served", || {
        www.serves("www.site.example", &gateway.site)
    });
    // Its files are watched as well.
    let (renewed, _) = written("www.site.example", &folder);
    let event = gateway.wait_for_event(|line| {
        let path = line["certificate"].as_str().unwrap_or_default();
        line["event"] == "certificate_reloaded"
            && path.contains("www.site.example")
            && renewed.serves("www.site.example", &gateway.site)
    });
    assert_eq!(event["listener"], "site");
    assert!(default.serves(SITE, &gateway.site));
    gateway.reload(&configuration(&table));
    wait_until("the additional certificate is not served", || {
        !renewed.serves("www.site.example", &gateway.site)
    });
    assert!(default.serves(SITE, &gateway.site));
}

#[test]
fn damaged_certificate_does_not_block_renewal_of_others() {
    let folder = Arc::new(TempDir::new().unwrap());
    let default = Certificate::new();
    let table = default.write(folder.path()).table("tls");
    let (www, additional) = written("www.site.example", &folder);
    let gateway = Gateway::start_in(Arc::clone(&folder), &(table + &additional));
    std::fs::write(folder.path().join("www.site.example/certificate.pem"), "damaged").unwrap();
    let renewed = Certificate::new();
    renewed.write(folder.path());
    wait_until("the default certificate is renewed", || {
        renewed.serves(SITE, &gateway.site)
    });
    gateway.wait_for_event(|line| line["event"] == "certificate_reload_failed");
    assert!(www.serves("www.site.example", &gateway.site));
}

#[test]
fn host_may_move_to_an_additional_certificate() {
    let folder = Arc::new(TempDir::new().unwrap());
    let default = Certificate::new();
    let table = default.write(folder.path()).table("tls");
    let gateway = Gateway::start_in(Arc::clone(&folder), &table);
    let (moved, additional) = written(SITE, &folder);
    let other = Certificate::valid_in("other.example", 2001..2999);
    other.write(folder.path());
    gateway.reload(&configuration(&(table + &additional)));
    wait_until("the additional certificate is served", || {
        moved.serves(SITE, &gateway.site)
    });
    assert!(other.serves("other.example", &gateway.site));
}

#[test]
fn upgrade_never_replaces_a_good_certificate() {
    let folder = Arc::new(TempDir::new().unwrap());
    let good = Certificate::valid_in(SITE, 2001..2999);
    let table = good.write(folder.path()).table("tls");
    let (www, www_table) = written("www.site.example", &folder);
    let gateway = Gateway::set_up_live(Setup {
        folder: Some(Arc::clone(&folder)),
        extra: &(table.clone() + &www_table),
        ..Setup::default()
    });
    for (host, certificate, folder) in [
        (SITE, &good, folder.path().to_owned()),
        ("www.site.example", &www, folder.path().join("www.site.example")),
    ] {
        Certificate::valid_in(host, 2001..2002).write(&folder);
        let output = gateway.run("upgrade");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.contains(&format!("the certificate for {host} (site listener)")),
            "{error}"
        );
        assert!(certificate.serves(host, &gateway.site));
        certificate.write(&folder);
    }
    let _successor = Successor::of(&gateway);
    assert!(good.serves(SITE, &gateway.site));
}

#[test]
fn check_covers_additional_certificates() {
    let folder = TempDir::new().unwrap();
    let check = |extra: &str| {
        let path = folder.path().join("site.toml");
        let hosts = "allowed_hosts = [\"site.example\", \"www.site.example\"]";
        std::fs::write(&path, configuration_with_listen(hosts, extra)).unwrap();
        let output = run_gateway(&["check", "--config", path.to_str().unwrap()]);
        String::from_utf8(output.stderr).unwrap()
    };
    let table = Certificate::new().write(folder.path()).table("tls");
    let (_, www) = written("www.site.example", &folder);
    assert!(check(&table).contains("does not cover `www.site.example`"));
    assert_eq!(check(&(table.clone() + &www)), "");
    let expired = folder.path().join("expired");
    std::fs::create_dir(&expired).unwrap();
    let expired = Certificate::valid_in("www.site.example", 2001..2002).write(&expired);
    let problems = check(&(table.clone() + &expired.additional_table()));
    assert!(
        problems.contains("listen.tls.additional_certificates: "),
        "{problems}"
    );
    assert!(
        problems.contains("expired/certificate.pem expired at 2002"),
        "{problems}"
    );
    std::fs::remove_file(&expired.key).unwrap();
    let problems = check(&(table + &expired.additional_table()));
    assert!(problems.contains("cannot read the private key"), "{problems}");
}
