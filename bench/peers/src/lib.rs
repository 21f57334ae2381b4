//! What the minimal servers share: the files that they serve from memory.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use bytes::Bytes;
use tokio_rustls::rustls::crypto::aws_lc_rs;

/// The command line of both servers: `FOLDER PORT TLS_PORT CERTIFICATE KEY UPSTREAM`.
#[derive(Clone)]
pub struct Options {
    /// The folder with the files.
    pub folder: String,
    /// The address for plain HTTP.
    pub plain: String,
    /// The address for TLS.
    pub tls: String,
    /// The certificate chain, a PEM file.
    pub certificate: String,
    /// Its private key, a PEM file.
    pub key: String,
    /// Where requests below `/api/` go: host and port. Without it the server answers them itself.
    pub upstream: Option<String>,
}

impl Options {
    /// Reads the command line.
    #[must_use]
    pub fn read() -> Option<Self> {
        let mut arguments = std::env::args().skip(1);
        Some(Self {
            folder: arguments.next()?,
            plain: format!("127.0.0.1:{}", arguments.next()?),
            tls: format!("127.0.0.1:{}", arguments.next()?),
            certificate: arguments.next()?,
            key: arguments.next()?,
            upstream: arguments.next(),
        })
    }
}

/// Makes rustls use the gateway's provider. The dependencies of both servers together enable two.
pub fn install_tls_provider() {
    // It fails if there is one already.
    let _ = aws_lc_rs::default_provider().install_default();
}

/// A file, compressed with Brotli.
pub struct File {
    /// The headers of its response.
    pub headers: Vec<(String, String)>,
    /// The compressed bytes.
    pub body: Bytes,
}

/// Reads the files of a folder, by URL path. Each has its compressed bytes beside it, in a file with the extension `br`,
/// and may have its headers in one with the extension `headers`.
///
/// # Errors
///
/// If a file cannot be read.
pub fn read_files(folder: &Path) -> io::Result<HashMap<String, File>> {
    let mut files = HashMap::new();
    read_into(&mut files, folder, "")?;
    Ok(files)
}

fn read_into(files: &mut HashMap<String, File>, folder: &Path, prefix: &str) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let name = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read_into(files, &entry.path(), &name)?;
        } else if let Some(path) = name.strip_suffix(".br") {
            let mut file = File::new(path, std::fs::read(entry.path())?.into());
            if let Some(headers) = read_headers(&entry.path().with_extension("headers"))? {
                file.headers = headers;
            }
            files.insert(path.to_owned(), file);
        }
    }
    Ok(())
}

/// Reads headers, one in a line. `None` if there is no such file.
///
/// # Errors
///
/// If the file cannot be read.
pub fn read_headers(file: &Path) -> io::Result<Option<Vec<(String, String)>>> {
    if !file.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(file)?;
    let headers = text.lines().filter_map(|line| line.split_once(": "));
    Ok(Some(
        headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    ))
}

impl File {
    fn new(path: &str, body: Bytes) -> Self {
        let [kind, caching] = if Path::new(path)
            .extension()
            .is_some_and(|extension| extension == "js")
        {
            [
                "text/javascript; charset=utf-8",
                "public, max-age=31536000, immutable",
            ]
        } else {
            ["text/html; charset=utf-8", "no-cache"]
        };
        let headers = [
            ("content-type", kind.to_owned()),
            ("content-encoding", "br".to_owned()),
            ("content-length", body.len().to_string()),
            ("cache-control", caching.to_owned()),
            ("etag", format!("\"{:x}\"", body.len())),
            ("vary", "accept-encoding".to_owned()),
        ];
        Self {
            headers: headers.map(|(name, value)| (name.to_owned(), value)).into(),
            body,
        }
    }
}
