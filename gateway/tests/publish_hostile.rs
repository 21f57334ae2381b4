//! Archives that someone made to do harm, or that broke on the way.

use std::io::{self, Read as _, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::EntryType;

use crate::support::{Archive, Gateway, Release, Request, Response, attack};

const MEBIBYTE: u64 = 1024 * 1024;

fn release() -> Release {
    Release::section("directory", "1.0.0", &["/"])
}

fn put(gateway: &Gateway, archive: Vec<u8>) -> Response {
    put_as("directory", gateway, archive)
}

fn put_as(name: &str, gateway: &Gateway, archive: Vec<u8>) -> Response {
    let answer = gateway.put(name, "1.0.0", archive);
    assert!(
        !gateway.store().join("releases").join(name).exists(),
        "nothing of it is kept"
    );
    assert_eq!(
        std::fs::read_dir(gateway.store().join("scratch"))
            .unwrap()
            .count(),
        0,
        "nothing is left behind"
    );
    answer
}

/// Sends a sound release with one more entry, and checks that the entry is what it is refused for.
fn refused_with(gateway: &Gateway, path: &str, entry_type: EntryType, words: &str) {
    let mut archive = release().start(&release().json());
    archive.entry(path, entry_type, 0, b"");
    let answer = put(gateway, archive.finish());
    assert_eq!(answer.status, 422, "{path}: {}", answer.text());
    let problems = answer.json()["problems"].to_string();
    assert!(problems.contains(words), "{path}: {problems}");
}

#[test]
fn entries_that_would_leave_the_folder_are_refused() {
    let gateway = Gateway::start();
    let paths = [
        "/etc/passwd",
        "../evil",
        "client/../../evil",
        "client/..",
        "./../evil",
        "/client/a.js",
        "client//a.js",
        "elsewhere/a.js",
        "stored.json",
        "compressed/client/entry.js.br",
        "client/a b.js",
        "client/\u{1}.js",
    ];
    for path in paths {
        refused_with(
            &gateway,
            path,
            EntryType::Regular,
            "is not a plain path below client/ or server/",
        );
    }
    assert!(!gateway.folder().join("evil").exists() && !gateway.store().join("evil").exists());
}

#[test]
fn entries_that_are_no_files_are_refused() {
    let gateway = Gateway::start();
    for entry_type in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
    ] {
        refused_with(
            &gateway,
            "client/x.js",
            entry_type,
            "is neither a file nor a folder",
        );
    }
}

#[test]
fn names_that_stand_there_twice_are_refused() {
    let gateway = Gateway::start();
    refused_with(
        &gateway,
        "client/entry.js",
        EntryType::Regular,
        "is in the archive twice",
    );
    refused_with(
        &gateway,
        "./client/entry.js",
        EntryType::Regular,
        "is in the archive twice",
    );
    refused_with(
        &gateway,
        "release.json",
        EntryType::Regular,
        "is in the archive twice",
    );
    refused_with(
        &gateway,
        "client/entry.js/below",
        EntryType::Regular,
        "cannot stand below a file",
    );
}

#[test]
fn what_is_no_gzipped_tar_is_refused() {
    let gateway = Gateway::start();
    let whole = release().archive();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&[b'x'; 2048]).unwrap();
    let cases = [
        b"not gzip".to_vec(),
        vec![0x1f, 0x8b],
        whole[..whole.len() / 2].to_vec(),
        gzip.finish().unwrap(),
    ];
    for body in cases {
        let answer = put(&gateway, body);
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert_eq!(answer.header("content-type"), "application/problem+json");
    }
    // An empty body is an empty archive to some readers; it has no release in any case.
    assert!(matches!(put(&gateway, Vec::new()).status, 400 | 422));
}

#[test]
fn too_many_entries_are_refused() {
    let gateway = Gateway::start();
    let mut archive = Archive::new();
    for number in 0..=5_000 {
        archive.entry(&format!("client/{number}/"), EntryType::Directory, 0, b"");
    }
    let answer = put(&gateway, archive.finish());
    assert_eq!(answer.status, 422);
    assert!(
        answer.json()["problems"]
            .to_string()
            .contains("more than 5000 entries")
    );
}

#[test]
fn too_many_bytes_are_refused_before_they_are_sent() {
    let gateway = Gateway::start();
    let length = (64 * MEBIBYTE + 1).to_string();
    let request =
        Request::new("PUT", "/api/v1/sections/directory/releases/1.0.0").header("content-length", &length);
    let answer = gateway.operate(request);
    assert_eq!(answer.status, 413, "{}", answer.text());
}

#[test]
fn too_many_bytes_are_refused_before_they_are_written() {
    let gateway = Gateway::start();
    let mut archive = Archive::new();
    archive.entry("client/a.js", EntryType::Regular, 256 * MEBIBYTE + 1, b"");
    let answer = put(&gateway, archive.finish());
    assert_eq!(answer.status, 400);
    assert!(
        answer.json()["detail"]
            .as_str()
            .unwrap()
            .contains("expands to more than")
    );
}

/// Publishes it again and again while somebody reads the site. Each time it must be refused for how much it holds.
fn refused_as_too_much(archive: &[u8]) {
    assert!((archive.len() as u64) < 2 * MEBIBYTE, "{}", archive.len());
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for _ in 0..2 {
            let answer = put_as("bomb", &gateway, archive.to_vec());
            assert_eq!(answer.status, 400, "{}", answer.text());
            let detail = answer.json()["detail"].to_string();
            assert!(
                detail.contains("expands to more than 268435456 bytes"),
                "{detail}"
            );
        }
    });
}

fn bomb() -> Archive {
    let release = Release::section("bomb", "1.0.0", &["/bomb"]);
    release.start(&release.json())
}

#[test]
fn zeros_behind_the_end_of_an_archive_are_counted_and_no_visitor_notices() {
    refused_as_too_much(&bomb().finish_with(io::repeat(0).take(256 * MEBIBYTE)));
}

#[test]
fn entries_that_are_too_much_together_are_refused_and_no_visitor_notices() {
    let mut archive = bomb();
    let zeros = vec![0; usize::try_from(16 * MEBIBYTE).unwrap()];
    for name in ["a", "b", "c"] {
        archive.add(&format!("client/{name}.bin"), &zeros);
    }
    // No more than there may be, by itself. What it says it has is believed: it does not come.
    archive.entry("client/last.bin", EntryType::Regular, 208 * MEBIBYTE, b"");
    refused_as_too_much(&archive.finish());
}

#[test]
fn a_gateway_that_refused_much_still_accepts() {
    let gateway = Gateway::start();
    for _ in 0..20 {
        assert_eq!(put(&gateway, b"nonsense".to_vec()).status, 400);
    }
    gateway.publish(&release());
}

#[test]
fn names_and_headers_longer_than_any_path_are_refused_before_they_fill_the_memory() {
    let gateway = Gateway::start();
    for kind in [EntryType::GNULongName, EntryType::GNULongLink, EntryType::XHeader] {
        let long = vec![b'a'; usize::try_from(MEBIBYTE).unwrap()];
        let mut archive = release().start(&release().json());
        archive.entry("long", kind, MEBIBYTE, &long);
        archive.add("client/a.js", b"a");
        let answer = put(&gateway, archive.finish());
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert!(
            answer.text().contains("the headers of an entry have more than"),
            "{}",
            answer.text()
        );
    }
}

#[test]
fn a_long_name_is_held_to_the_same_rules() {
    let gateway = Gateway::start();
    let names = [
        "../../evil.js".to_owned(),
        format!("../{}", "a".repeat(200)),
        "/etc/evil.js".to_owned(),
    ];
    for name in names {
        let record = |length: usize| format!("{length} path={name}\n");
        let length = (1..999).find(|length| record(*length).len() == *length).unwrap();
        for (kind, data) in [
            (EntryType::GNULongName, format!("{name}\0")),
            (EntryType::XHeader, record(length)),
        ] {
            let mut archive = release().start(&release().json());
            archive.entry("long", kind, data.len() as u64, data.as_bytes());
            archive.add("client/a.js", b"a");
            let answer = put(&gateway, archive.finish());
            assert_eq!(answer.status, 422, "{}", answer.text());
            let problem = format!("`{name}` is not a plain path below client/ or server/");
            assert_eq!(answer.json()["problems"], serde_json::json!([problem]));
        }
    }
}

#[test]
fn a_file_with_holes_is_refused() {
    let gateway = Gateway::start();
    let mut archive = release().start(&release().json());
    archive.entry("client/x.js", EntryType::GNUSparse, 0, b"");
    let answer = put(&gateway, archive.finish());
    assert!(matches!(answer.status, 400 | 422), "{}", answer.text());
}

#[test]
fn an_archive_that_changed_on_the_way_is_refused() {
    let gateway = Gateway::start();
    let mut archive = release().archive();
    let checksum = archive.len() - 8;
    archive[checksum] ^= 1;
    assert_eq!(put(&gateway, archive).status, 400);
}
