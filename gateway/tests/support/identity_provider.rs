//! An identity provider of OIDC on a real socket, and the keys that it signs with.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::Sha256;

/// A key for ES256.
pub(crate) struct SigningKey {
    id: String,
    pair: EcdsaKeyPair,
}

/// A running provider.
pub(crate) struct IdentityProvider {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
enum Tokens {
    #[default]
    Grant,
    Refuse,
    /// Keeps the connections, and sends no response.
    Hold(Vec<TcpStream>),
}

#[derive(Default)]
struct State {
    keys: Vec<Value>,
    /// The ID token that the token endpoint returns for any code.
    id_token: String,
    requests: Vec<String>,
    /// What the token endpoint does with a request.
    tokens: Tokens,
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Header and claims of a token, without a signature.
fn unsigned(header: &Value, claims: &Value) -> String {
    let [header, claims] = [header, claims].map(|part| encoded(part.to_string()));
    format!("{header}.{claims}")
}

impl SigningKey {
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            pair: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap(),
        }
    }

    fn public(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        let (x, y) = point[1..].split_at(32);
        json!({ "kty": "EC", "crv": "P-256", "use": "sig", "kid": self.id, "x": encoded(x), "y": encoded(y) })
    }

    /// An ID token with these claims.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_with_header(&json!({ "alg": "ES256", "kid": self.id }), claims)
    }

    /// A token whose header says that it has this type.
    pub(crate) fn sign_as(&self, kind: &str, claims: &Value) -> String {
        self.sign_with_header(&json!({ "alg": "ES256", "kid": self.id, "typ": kind }), claims)
    }

    /// An ID token that does not name its key.
    pub(crate) fn sign_without_id(&self, claims: &Value) -> String {
        self.sign_with_header(&json!({ "alg": "ES256" }), claims)
    }

    fn sign_with_header(&self, header: &Value, claims: &Value) -> String {
        let text = unsigned(header, claims);
        let signature = self.pair.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
        format!("{text}.{}", encoded(signature))
    }

    /// A token without a signature, which says that it needs none.
    pub(crate) fn sign_with_nothing(&self, claims: &Value) -> String {
        unsigned(&json!({ "alg": "none", "kid": self.id }), claims) + "."
    }

    /// A token whose signature uses the public key as a shared secret.
    pub(crate) fn sign_with_public_key(&self, claims: &Value) -> String {
        let text = unsigned(&json!({ "alg": "HS256", "kid": self.id }), claims);
        let mut mac = Hmac::<Sha256>::new_from_slice(self.pair.public_key().as_ref()).unwrap();
        mac.update(text.as_bytes());
        format!("{text}.{}", encoded(mac.finalize().into_bytes()))
    }
}

impl IdentityProvider {
    /// Starts a provider that publishes this key.
    pub(crate) fn start(key: &SigningKey) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State {
            keys: vec![key.public()],
            ..State::default()
        }));
        let shared = Arc::clone(&state);
        // The thread ends with the test process; requests are few, one a connection.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, address, &shared);
            }
        });
        Self { address, state }
    }

    pub(crate) fn issuer(&self) -> String {
        issuer(self.address)
    }

    /// Publishes these keys instead.
    pub(crate) fn rotate(&self, keys: &[&SigningKey]) {
        self.state.lock().keys = keys.iter().map(|key| key.public()).collect();
    }

    /// Makes the token endpoint return this ID token.
    pub(crate) fn grant(&self, id_token: String) {
        self.state.lock().id_token = id_token;
    }

    /// Makes the token endpoint refuse each code.
    pub(crate) fn refuse(&self) {
        self.state.lock().tokens = Tokens::Refuse;
    }

    /// Makes the token endpoint send no response until it refuses.
    pub(crate) fn hold(&self) {
        self.state.lock().tokens = Tokens::Hold(Vec::new());
    }

    /// The requests for this path so far: their bodies.
    pub(crate) fn requests(&self, path: &str) -> Vec<String> {
        let state = self.state.lock();
        let requests = state
            .requests
            .iter()
            .filter_map(|request| request.strip_prefix(path));
        requests.map(|body| body.trim_start().to_owned()).collect()
    }
}

fn issuer(address: SocketAddr) -> String {
    format!("http://{address}/realm")
}

/// Responds to one request.
fn serve(stream: TcpStream, address: SocketAddr, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    reader.read_line(&mut line)?;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let header = header.trim().to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
        if header.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let path = line.split(' ').nth(1).unwrap_or_default();
    let issuer = issuer(address);
    let mut state = state.lock();
    state
        .requests
        .push(format!("{path} {}", String::from_utf8_lossy(&body)));
    let state = &mut *state;
    if path == "/realm/token"
        && let Tokens::Hold(held) = &mut state.tokens
    {
        held.push(reader.into_inner());
        return Ok(());
    }
    let is_refused = path == "/realm/token" && matches!(state.tokens, Tokens::Refuse);
    let status = if is_refused { "400 Bad Request" } else { "200 OK" };
    let response = match path {
        "/realm/.well-known/openid-configuration" => json!({
            "issuer": issuer,
            "jwks_uri": format!("{issuer}/keys"),
            "authorization_endpoint": format!("{issuer}/authorize?tenant=1"),
            "token_endpoint": format!("{issuer}/token"),
        }),
        "/realm/keys" => json!({ "keys": state.keys }),
        _ => json!({ "id_token": state.id_token, "token_type": "Bearer" }),
    };
    let response = response.to_string();
    write!(
        reader.get_mut(),
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{response}",
        response.len()
    )
}
