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
    assert_eq!(
        std::fs::read_dir(gateway.store().join("scratch"))
            .unwrap()
            .count(),
        0,
        "the scratch folder must be empty"
    );
    response
}

/// Publishes a valid release with one additional entry, and checks that the entry is the reason for the rejection.
fn assert_entry_rejected(gateway: &Gateway, path: &str, entry_type: EntryType, problem: &str) {
    let mut archive = release().start_archive(&release().json());
    archive.entry(path, entry_type, 0, b"");
    let response = put(gateway, archive.finish());
    assert_eq!(response.status, 422, "{path}: {}", response.text());
    let problems = response.json()["problems"].to_string();
    assert!(problems.contains(problem), "{path}: {problems}");
}

#[test]
fn path_traversal_entry_is_rejected() {
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
        assert_entry_rejected(
            &gateway,
            path,
            EntryType::Regular,
            "is not a valid path below client/ or server/",
        );
    }
    assert!(!gateway.folder().join("evil").exists() && !gateway.store().join("evil").exists());
}

#[test]
fn non_file_entry_is_rejected() {
    let gateway = Gateway::start();
    for entry_type in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Char,
        EntryType::Block,
        EntryType::Fifo,
    ] {
        assert_entry_rejected(
            &gateway,
            "client/x.js",
            entry_type,
            "is neither a regular file nor a folder",
        );
    }
}

#[test]
fn duplicate_entry_is_rejected() {
    let gateway = Gateway::start();
    assert_entry_rejected(
        &gateway,
        "client/entry.js",
        EntryType::Regular,
        "is in the archive twice",
    );
    assert_entry_rejected(
        &gateway,
        "./client/entry.js",
        EntryType::Regular,
        "is in the archive twice",
    );
    assert_entry_rejected(
        &gateway,
        "release.json",
        EntryType::Regular,
        "is in the archive twice",
    );
    assert_entry_rejected(
        &gateway,
        "client/entry.js/below",
        EntryType::Regular,
        "cannot be created: a parent of it is a file",
    );
}

#[test]
fn non_gzip_or_non_tar_body_is_rejected() {
    let gateway = Gateway::start();
    let archive = release().archive();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&[b'x'; 2048]).unwrap();
    let cases = [
        b"not gzip".to_vec(),
        vec![0x1f, 0x8b],
        archive[..archive.len() / 2].to_vec(),
        gzip.finish().unwrap(),
    ];
    for body in cases {
        let response = put(&gateway, body);
        assert_eq!(response.status, 400, "{}", response.text());
        assert_eq!(response.header("content-type"), "application/problem+json");
    }
    // Some readers accept an empty body as an empty archive, which has no release.
    assert!(matches!(put(&gateway, Vec::new()).status, 400 | 422));
}

#[test]
fn too_many_entries_are_rejected() {
    let gateway = Gateway::start();
    let mut archive = Archive::new();
    for number in 0..=5_000 {
        archive.entry(&format!("client/{number}/"), EntryType::Directory, 0, b"");
    }
    let response = put(&gateway, archive.finish());
    assert_eq!(response.status, 422);
    assert!(
        response.json()["problems"]
            .to_string()
            .contains("more than 5000 entries")
    );
}

#[test]
fn oversized_content_length_is_rejected_before_upload() {
    let gateway = Gateway::start();
    let length = (64 * MEBIBYTE + 1).to_string();
    let request =
        Request::new("PUT", "/api/v1/sections/directory/releases/1.0.0").header("content-length", &length);
    let response = gateway.admin_request(request);
    assert_eq!(response.status, 413, "{}", response.text());
}

#[test]
fn oversized_entry_is_rejected_before_writing() {
    let gateway = Gateway::start();
    let mut archive = Archive::new();
    archive.entry("client/a.js", EntryType::Regular, 256 * MEBIBYTE + 1, b"");
    let response = put(&gateway, archive.finish());
    assert_eq!(response.status, 400);
    assert!(
        response.json()["detail"]
            .as_str()
            .unwrap()
            .contains("expands to more than")
    );
}

/// Publishes a decompression bomb repeatedly while a visitor reads the site. It must be rejected for its size.
fn assert_bomb_rejected(archive: &[u8]) {
    assert!((archive.len() as u64) < 2 * MEBIBYTE, "{}", archive.len());
    let gateway = Gateway::start_live("", &[]);
    attack(&gateway, || {
        for _ in 0..2 {
            let response = put_as("bomb", &gateway, archive.to_vec());
            assert_eq!(response.status, 400, "{}", response.text());
            let detail = response.json()["detail"].to_string();
            assert!(
                detail.contains("expands to more than 268435456 bytes"),
                "{detail}"
            );
        }
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

#[test]
fn valid_release_is_accepted_after_many_rejections() {
    let gateway = Gateway::start();
    for _ in 0..20 {
        assert_eq!(put(&gateway, b"nonsense".to_vec()).status, 400);
    }
    gateway.publish(&release());
}

#[test]
fn oversized_entry_header_is_rejected() {
    let gateway = Gateway::start();
    for kind in [EntryType::GNULongName, EntryType::GNULongLink, EntryType::XHeader] {
        let long = vec![b'a'; usize::try_from(MEBIBYTE).unwrap()];
        let mut archive = release().start_archive(&release().json());
        archive.entry("long", kind, MEBIBYTE, &long);
        archive.add("client/a.js", b"a");
        let response = put(&gateway, archive.finish());
        assert_eq!(response.status, 400, "{}", response.text());
        assert!(
            response.text().contains("the headers of an entry have more than"),
            "{}",
            response.text()
        );
    }
}

#[test]
fn extended_entry_name_is_validated() {
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
            let mut archive = release().start_archive(&release().json());
            archive.entry("long", kind, data.len() as u64, data.as_bytes());
            archive.add("client/a.js", b"a");
            let response = put(&gateway, archive.finish());
            assert_eq!(response.status, 422, "{}", response.text());
            let problem = format!("`{name}` is not a valid path below client/ or server/");
            assert_eq!(response.json()["problems"], serde_json::json!([problem]));
        }
    }
}

#[test]
fn sparse_entry_is_rejected() {
    let gateway = Gateway::start();
    let mut archive = release().start_archive(&release().json());
    archive.entry("client/x.js", EntryType::GNUSparse, 0, b"");
    let response = put(&gateway, archive.finish());
    assert!(matches!(response.status, 400 | 422), "{}", response.text());
}

#[test]
fn archive_with_wrong_checksum_is_rejected() {
    let gateway = Gateway::start();
    let mut archive = release().archive();
    let checksum = archive.len() - 8;
    archive[checksum] ^= 1;
    assert_eq!(put(&gateway, archive).status, 400);
}
