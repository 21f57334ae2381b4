//! Invalid, hostile and damaged archives.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::archive::{Entry, entries, gzip, tar};
use super::{TestStore, cases, sample};

/// Paths with a special meaning.
const PATHS: &[&str] = &[
    "../evil.js",
    "../../evil.js",
    "client/../../../evil.js",
    "/nowhere/evil.js",
    "//evil.js",
    "client",
    "client/",
    "client/.",
    "client/..",
    "client/./new.js",
    "client//new.js",
    "client/entry.js/below.js",
    "client/entry.js/",
    "./client/entry.js",
    "././client/entry.js",
    "client/new.js",
    "CLIENT/new.js",
    "server",
    "server/index.js",
    "release.json",
    "./release.json",
    "release.json/below.js",
    "stored.json",
    "compressed/client/entry.js.br",
    "client/con\\..\\evil.js",
    "client/new\0.js",
    "",
    ".",
    "..",
    "./",
];

/// Keys of extended headers.
const KEYS: &[&str] = &[
    "path",
    "size",
    "linkpath",
    "GNU.sparse.major",
    "GNU.sparse.name",
    "GNU.sparse.realsize",
    "uid",
    "",
];

/// One modification of an archive.
#[derive(Debug, Clone)]
enum Mutation {
    Remove(Index),
    Repeat(Index, Index),
    Rename(Index, Vec<u8>),
    Kind(Index, u8),
    Link(Index, u8, Vec<u8>),
    FalseSize(Index, u64),
    Add(u8, Vec<u8>, Vec<u8>),
    LongName(Index, Vec<u8>),
    Extended(Index, Vec<(Vec<u8>, Vec<u8>)>),
    Header(Index, Vec<(usize, u8)>),
    Change(Index, Index, u8),
}

impl Mutation {
    fn apply(self, entries: &mut Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        let count = entries.len();
        match self {
            Self::Remove(at) => {
                entries.remove(at.index(count));
            }
            Self::Repeat(from, to) => {
                let entry = entries[from.index(count)].clone();
                entries.insert(to.index(count), entry);
            }
            Self::Rename(at, path) => entries[at.index(count)].path = path,
            Self::Kind(at, kind) => entries[at.index(count)].kind = kind,
            Self::Link(at, kind, target) => {
                let at = at.index(count);
                let mut link = Entry::new(kind, &entries[at].path.clone(), b"");
                link.link = target;
                entries.insert(at, link);
            }
            Self::FalseSize(at, size) => entries[at.index(count)].size = size,
            Self::Add(kind, path, data) => entries.push(Entry::new(kind, &path, &data)),
            Self::LongName(at, path) => entries.insert(at.index(count), Entry::long_name(&path)),
            Self::Extended(at, records) => {
                let records: Vec<_> = records
                    .iter()
                    .map(|(key, value)| (&key[..], &value[..]))
                    .collect();
                entries.insert(at.index(count), Entry::extended(&records));
            }
            Self::Header(at, noise) => entries[at.index(count)].noise = noise,
            Self::Change(at, byte, flip) => {
                let data = &mut entries[at.index(count)].data;
                if !data.is_empty() {
                    let byte = byte.index(data.len());
                    data[byte] ^= flip;
                }
            }
        }
    }
}

fn path() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => select(PATHS).prop_map(|path| path.as_bytes().to_vec()),
        1 => "(client|server)/[a-z./]{1,40}".prop_map(String::into_bytes),
        2 => "client/[a-z]{1,9}".prop_map(String::into_bytes),
        1 => "client/[a-z]{100,260}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..120),
    ]
}

/// Known and unknown kinds of entries.
fn kind() -> impl Strategy<Value = u8> {
    prop_oneof![
        2 => Just(b'0'),
        2 => select(b"\x00123456789LKxgSDMNV".as_slice()),
        1 => any::<u8>(),
    ]
}

fn size() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..5_000_u64,
        select(vec![0, 511, 512, 513, 1 << 30, (1 << 33) - 1, 1 << 40, u64::MAX]),
    ]
}

fn record() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let key = prop_oneof![
        select(KEYS).prop_map(|key| key.as_bytes().to_vec()),
        vec(any::<u8>(), 0..10)
    ];
    let size = size().prop_map(|size| size.to_string().into_bytes());
    (key, prop_oneof![path(), size, vec(any::<u8>(), 0..40)])
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    let data = || vec(any::<u8>(), 0..600);
    prop_oneof![
        1 => at().prop_map(Mutation::Remove),
        1 => (at(), at()).prop_map(|(from, to)| Mutation::Repeat(from, to)),
        1 => (at(), path()).prop_map(|(at, path)| Mutation::Rename(at, path)),
        1 => (at(), kind()).prop_map(|(at, kind)| Mutation::Kind(at, kind)),
        1 => (at(), select(b"12".as_slice()), path()).prop_map(|(at, kind, path)| Mutation::Link(at, kind, path)),
        1 => (at(), size()).prop_map(|(at, size)| Mutation::FalseSize(at, size)),
        3 => (kind(), path(), data()).prop_map(|(kind, path, data)| Mutation::Add(kind, path, data)),
        1 => (at(), path()).prop_map(|(at, path)| Mutation::LongName(at, path)),
        1 => (at(), vec(record(), 0..4)).prop_map(|(at, records)| Mutation::Extended(at, records)),
        1 => (at(), vec((0..512_usize, any::<u8>()), 1..8)).prop_map(|(at, noise)| Mutation::Header(at, noise)),
        1 => (at(), at(), any::<u8>()).prop_map(|(at, byte, flip)| Mutation::Change(at, byte, flip)),
    ]
}

/// Flips bits and may truncate.
fn damage(bytes: &mut Vec<u8>, flips: &[(Index, u8)], end: Option<Index>) {
    for (at, bit) in flips {
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << (bit % 8);
    }
    if let Some(end) = end {
        bytes.truncate(end.index(bytes.len()));
    }
}

fn flips() -> impl Strategy<Value = (Vec<(Index, u8)>, Option<Index>)> {
    (
        vec((any::<Index>(), any::<u8>()), 0..4),
        proptest::option::weighted(0.3, any::<Index>()),
    )
}

fn valid() -> Vec<Entry> {
    let sample = sample();
    entries(&serde_json::to_vec(&sample.release).unwrap(), &sample.files)
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn arbitrary_bytes_are_rejected(bytes in vec(any::<u8>(), 0..2_000)) {
        let test_store = TestStore::new();
        prop_assert!(!test_store.try_publish(&bytes));
        prop_assert!(!test_store.try_publish(&gzip(&bytes)));
    }

    #[test]
    fn damaged_gzip_leaves_no_files((flips, end) in flips()) {
        let mut archive = gzip(&tar(&valid()));
        damage(&mut archive, &flips, end);
        TestStore::new().try_publish(&archive);
    }

    #[test]
    fn damaged_tar_leaves_no_files((flips, end) in flips()) {
        let mut archive = tar(&valid());
        damage(&mut archive, &flips, end);
        TestStore::new().try_publish(&gzip(&archive));
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn hostile_archive_writes_only_to_its_folder(mutations in vec(mutation(), 0..5)) {
        let mut entries = valid();
        for mutation in mutations {
            mutation.apply(&mut entries);
        }
        TestStore::new().try_publish(&gzip(&tar(&entries)));
    }
}

#[test]
fn gzip_checksum_is_verified() {
    let mut archive = gzip(&tar(&valid()));
    let at = archive.len() - 8;
    archive[at] ^= 1;
    assert!(!TestStore::new().try_publish(&archive));
}
