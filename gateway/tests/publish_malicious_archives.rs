//! Malicious and corrupted archives.

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
    let response = gateway.put_release(name, "1.0.0", archive);
    assert!(
        !gateway.store().join("releases").join(name).exists(),
        "the store must not contain the release"
    );
    gateway.wait_for_empty_scratch();
    response
}

/// A valid release with one additional entry.
fn with_entry(path: &str, entry_type: EntryType, size: u64, data: &[u8]) -> Archive {
    let mut archive = release().start_archive(&release().json());
    archive.entry(path, entry_type, size, data);
    archive
}

/// Publishes an archive, and checks that this problem is the reason for the rejection.
fn assert_rejected(gateway: &Gateway, archive: Archive, problem: &str) {
    let response = put(gateway, archive.finish());
    assert_eq!(response.status, 422, "{problem}: {}", response.text());
    let problems = response.json()["problems"].to_string();
    assert!(problems.contains(problem), "{problem}: {problems}");
}

#[test]
fn hostile_entries_are_rejected() {
    let gateway = Gateway::start();
    let invalid = "is not a valid path below client/ or server/";
    for path in [
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
    ] {
        assert_rejected(&gateway, with_entry(path, EntryType::Regular, 0, b""), invalid);
    }
    assert!(!gateway.folder().join("evil").exists() && !gateway.store().join("evil").exists());
    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
    ] {
        let problem = "is neither a regular file nor a folder";
        assert_rejected(&gateway, with_entry("client/x.js", kind, 0, b""), problem);
    }
    for (path, problem) in [
        ("client/entry.js", "is in the archive twice"),
        ("./client/entry.js", "is in the archive twice"),
        ("release.json", "is in the archive twice"),
        (
            "client/entry.js/below",
            "cannot be created: a parent of it is a file",
        ),
    ] {
        assert_rejected(&gateway, with_entry(path, EntryType::Regular, 0, b""), problem);
    }
    let sparse = put(
        &gateway,
        with_entry("client/x.js", EntryType::GNUSparse, 0, b"").finish(),
    );
    assert!(matches!(sparse.status, 400 | 422), "{}", sparse.text());
    // The name of an entry can be in another one.
    for name in [
        "../../evil.js".to_owned(),
        format!("../{}", "a".repeat(200)),
        "/etc/evil.js".to_owned(),
    ] {
        let record = |length: usize| format!("{length} path={name}\n");
        let length = (1..999).find(|length| record(*length).len() == *length).unwrap();
        for (kind, data) in [
            (EntryType::GNULongName, format!("{name}\0")),
            (EntryType::XHeader, record(length)),
        ] {
            let mut archive = with_entry("long", kind, data.len() as u64, data.as_bytes());
            archive.add("client/a.js", b"a");
            assert_rejected(&gateway, archive, &format!("`{name}` {invalid}"));
        }
    }
    let mut many = Archive::new();
    for number in 0..=5_000 {
        many.entry(&format!("client/{number}/"), EntryType::Directory, 0, b"");
    }
    assert_rejected(&gateway, many, "more than 5000 entries");
    gateway.publish(&release());
}

#[test]
fn unreadable_archives_are_rejected() {
    let gateway = Gateway::start();
    let archive = release().archive();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&[b'x'; 2048]).unwrap();
    let mut wrong_checksum = archive.clone();
    wrong_checksum[archive.len() - 8] ^= 1;
    // Before a byte of it is written.
    let mut large = Archive::new();
    large.entry("client/a.js", EntryType::Regular, 256 * MEBIBYTE + 1, b"");
    let mut cases = vec![
        (b"not gzip".to_vec(), ""),
        (vec![0x1f, 0x8b], ""),
        (archive[..archive.len() / 2].to_vec(), ""),
        (gzip.finish().unwrap(), ""),
        (wrong_checksum, ""),
        (large.finish(), "expands to more than"),
    ];
    for kind in [EntryType::GNULongName, EntryType::GNULongLink, EntryType::XHeader] {
        let long = vec![b'a'; usize::try_from(MEBIBYTE).unwrap()];
        let mut archive = with_entry("long", kind, MEBIBYTE, &long);
        archive.add("client/a.js", b"a");
        cases.push((archive.finish(), "the headers of an entry have more than"));
    }
    for (body, problem) in cases {
        let response = put(&gateway, body);
        assert_eq!(response.status, 400, "{}", response.text());
        assert_eq!(response.header("content-type"), "application/problem+json");
        assert!(response.text().contains(problem), "{}", response.text());
    }
    // Some readers accept an empty body as an empty archive, which has no release.
    assert!(matches!(put(&gateway, Vec::new()).status, 400 | 422));
    // Before the upload.
    let length = (64 * MEBIBYTE + 1).to_string();
    let request =
        Request::new("PUT", "/api/v1/sections/directory/releases/1.0.0").header("content-length", &length);
    let response = gateway.admin_request(request);
    assert_eq!(response.status, 413, "{}", response.text());
    gateway.publish(&release());
}

/// Publishes a decompression bomb while a visitor reads the site. It must be rejected for its size.
fn assert_bomb_rejected(archive: &[u8]) {
    assert!((archive.len() as u64) < 2 * MEBIBYTE, "{}", archive.len());
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        let response = put_as("bomb", &gateway, archive.to_vec());
        assert_eq!(response.status, 400, "{}", response.text());
        let detail = response.json()["detail"].to_string();
        assert!(
            detail.contains("expands to more than 268435456 bytes"),
            "{detail}"
        );
    });
}

fn bomb() -> Archive {
    let release = Release::section("bomb", "1.0.0", &["/bomb"]);
    release.start_archive(&release.json())
}

#[test]
fn decompression_bomb_after_end_of_archive_is_rejected() {
    assert_bomb_rejected(&bomb().finish_with(io::repeat(0).take(256 * MEBIBYTE)));
}

#[test]
fn decompression_bomb_across_entries_is_rejected() {
    let mut archive = bomb();
    let zeros = vec![0; usize::try_from(16 * MEBIBYTE).unwrap()];
    for name in ["a", "b", "c"] {
        archive.add(&format!("client/{name}.bin"), &zeros);
    }
    // Within the limit by itself. The declared size counts; the bytes are missing.
    archive.entry("client/last.bin", EntryType::Regular, 208 * MEBIBYTE, b"");
    assert_bomb_rejected(&archive.finish());
}
