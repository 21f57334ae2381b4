//! Deployments and rollbacks under steady load: no request fails, and no document mixes releases.
//!
//! Visitors read documents over connections that they keep, and every asset that a document names, while an operator
//! deploys, rolls back and rolls out without a pause. `SOAK=1` asks for 200 deployments and 200 rollbacks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::support::{Client, Connection, Gateway, Release, Request, Response, soak};

/// Deployments in a row, and then rollbacks.
const CHANGES: usize = 200;

/// Rollouts, one after the other.
const ROLLOUTS: usize = 50;

const VISITORS: u64 = 4;
const SECTIONS: [&str; 3] = ["one", "two", "three"];
const VERSIONS: [&str; 3] = ["1.0.0", "1.1.0", "1.2.0"];

/// The releases that documents of each deployment named.
type Seen = BTreeMap<u64, BTreeSet<(String, String)>>;

#[test]
fn no_request_fails_and_no_document_mixes_releases() {
    let releases = releases();
    let gateway = Gateway::start();
    for release in &releases {
        gateway.publish(release);
    }
    let names = SECTIONS.iter().chain(&["shell"]);
    gateway.deploy(&names.map(|&name| (name.to_owned(), json!(VERSIONS[0]))).collect());
    let assets = assets(&releases);
    let over = AtomicBool::new(false);
    let (seen, documents) = std::thread::scope(|scope| {
        let visitors: Vec<_> = (0..VISITORS)
            .map(|number| {
                let mut visitor = Visitor::new(&gateway.site, &assets, number);
                let over = &over;
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        visitor.visit();
                    }
                    (visitor.seen, visitor.documents)
                })
            })
            .collect();
        // The visitors go home even if the operator finds something wrong.
        let end = End(&over);
        let operator = Operator(&gateway);
        operator.deploy_in_a_row();
        operator.roll_back_in_a_row();
        operator.roll_out();
        drop(end);
        let mut all = Seen::new();
        let mut documents = 0;
        for visitor in visitors {
            let (seen, count) = visitor.join().unwrap();
            for (deployment, releases) in seen {
                all.entry(deployment).or_default().extend(releases);
            }
            documents += count;
        }
        (all, documents)
    });
    println!("{documents} documents of {} deployments", seen.len());
    assert!(seen.len() > 1, "nobody saw anything of it");
    let sets = sets(&gateway);
    for (deployment, releases) in seen {
        for (name, version) in releases {
            assert_eq!(
                sets[&deployment][&name],
                version.as_str(),
                "{name} in a document of {deployment}"
            );
        }
    }
    assert!(!gateway.output().contains("\"level\":\"ERROR\""));
}

/// Changes what is live, one call after the other.
struct Operator<'a>(&'a Gateway);

impl Operator<'_> {
    fn deploy_in_a_row(&self) {
        for turn in 1..=soak(CHANGES) {
            // The shell comes with every seventh; no version comes twice in a row.
            let name = if turn % 7 == 0 {
                "shell"
            } else {
                SECTIONS[turn % 3]
            };
            let version = self.other(name, turn);
            let answer = self.0.post_deployment(&json!({ "releases": { name: version } }));
            self.is_live(&answer, 201);
        }
    }

    fn roll_back_in_a_row(&self) {
        for turn in 1..=soak(CHANGES) {
            let wish = match turn % 4 {
                0 => json!({}),
                2 => json!({ "deployment": turn }),
                _ => json!({ "section": SECTIONS[turn % 3] }),
            };
            let answer = self.call("rollback", &wish);
            // A whole set may be what is live already.
            self.is_live(
                &answer,
                if turn % 2 == 0 && answer.status == 200 {
                    200
                } else {
                    201
                },
            );
        }
    }

    /// Rolls one section out while the others go on, and then puts it live or takes it back.
    fn roll_out(&self) {
        for turn in 1..=soak(ROLLOUTS) {
            let wish = json!({ "releases": { "one": self.other("one", turn) }, "percent": 30 });
            let answer = self.0.post_deployment(&wish);
            assert_eq!(answer.status, 201, "{}", answer.text());
            let other = json!({ "releases": { "two": self.other("two", turn) } });
            let answer = self.0.post_deployment(&other);
            assert_eq!(answer.status, 201, "{}", answer.text());
            let more = self.call(
                &format!("deployments/{}/promote", candidate(&answer)),
                &json!({ "percent": 70 }),
            );
            assert_eq!(more.status, 200, "{}", more.text());
            let answer = self.call("rollback", &json!({ "section": "two" }));
            assert_eq!(answer.status, 201, "{}", answer.text());
            let end = if turn % 2 == 0 { "promote" } else { "abort" };
            let answer = self.call(&format!("deployments/{}/{end}", candidate(&answer)), &json!({}));
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
    }

    /// A version of a section, or the shell, other than the live one.
    fn other(&self, name: &str, turn: usize) -> &'static str {
        let list = self.0.operate(Request::new("GET", "/api/v1/sections")).json();
        let mut sections = list.as_array().unwrap().iter();
        let live = &sections.find(|section| section["name"] == name).unwrap()["live"];
        let mut others = VERSIONS.iter().filter(|version| live != **version);
        others.nth(turn % 2).unwrap()
    }

    /// What an answer says is live is what the next document is of.
    fn is_live(&self, answer: &Response, status: u16) {
        assert_eq!(answer.status, status, "{}", answer.text());
        let boot = self.0.get("/one").boot();
        let (answer, page) = (answer.json(), &boot["page"]["section"]["version"]);
        assert_eq!(
            (&boot["deployment"], page),
            (&answer["number"], &answer["releases"]["one"])
        );
    }

    fn call(&self, path: &str, wish: &Value) -> Response {
        let request = Request::new("POST", &format!("/api/v1/{path}"));
        self.0.operate(request.body(wish.to_string()))
    }
}

/// Reads pages and all they are made of.
struct Visitor<'a> {
    connection: Connection,
    /// The integrity of every asset there is, by its URL path.
    assets: &'a HashMap<String, String>,
    /// Every other visitor keeps cookies.
    keeps_cookies: bool,
    cookie: Option<String>,
    random: SmallRng,
    seen: Seen,
    documents: usize,
}

impl<'a> Visitor<'a> {
    fn new(site: &Client, assets: &'a HashMap<String, String>, number: u64) -> Self {
        Self {
            connection: Connection::open(site).unwrap(),
            assets,
            keeps_cookies: number.is_multiple_of(2),
            cookie: None,
            random: SmallRng::seed_from_u64(number),
            seen: Seen::new(),
            documents: 0,
        }
    }

    /// Reads one page, every asset it names, and what the shell asks before it leads there.
    fn visit(&mut self) {
        let page = SECTIONS.choose(&mut self.random).unwrap();
        let document = self.read(&format!("/{page}"));
        if self.keeps_cookies && document.has("set-cookie") {
            let (pair, _) = document.header("set-cookie").split_once(';').unwrap();
            self.cookie = Some(pair.to_owned());
        }
        let html = String::from_utf8(document.decoded()).unwrap();
        let boot = Response {
            body: html.clone().into(),
            ..document
        }
        .boot();
        let deployment = boot["deployment"].as_u64().unwrap();
        let mut releases = BTreeSet::new();
        let named = named(&html);
        assert!(named.len() > 5, "{html}");
        for path in named {
            let mut segments = path.split('/').skip(2);
            let name = segments.next().unwrap().to_owned();
            releases.insert((name, segments.next().unwrap().to_owned()));
            let integrity = self
                .assets
                .get(path)
                .unwrap_or_else(|| panic!("{path} is of no release"));
            assert!(
                path.ends_with("icon.svg") || html.contains(integrity),
                "{path} in {html}"
            );
            let asset = self.read(path);
            assert_eq!(crate::support::integrity(&asset.decoded()), *integrity, "{path}");
        }
        let owners: BTreeSet<&String> = releases.iter().map(|(name, _)| name).collect();
        assert_eq!(owners.len(), releases.len(), "a document mixes {releases:?}");
        let answer = self.read(&format!("/_page/{deployment}?path=/{page}"));
        assert_eq!(answer_of(&answer)["section"], boot["page"]["section"]);
        self.seen.entry(deployment).or_default().extend(releases);
        self.documents += 1;
    }

    /// Every request is answered, with what it asked for.
    fn read(&mut self, path: &str) -> Response {
        let coding = ["identity", "gzip", "br"].choose(&mut self.random).unwrap();
        let mut request = Request::new("GET", path).header("accept-encoding", coding);
        if let Some(cookie) = self.cookie.as_ref().filter(|_| self.random.random_ratio(9, 10)) {
            request = request.header("cookie", cookie);
        }
        let answer = self
            .connection
            .exchange(request)
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(
            answer.status,
            200,
            "{path}: {}",
            String::from_utf8_lossy(&answer.body)
        );
        answer
    }
}

/// Ends the load when dropped.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The assets that a document names, in its elements and in its payload.
fn named(html: &str) -> BTreeSet<&str> {
    let starts = html.match_indices("\"/assets/").map(|(at, _)| &html[at + 1..]);
    starts.map(|rest| rest.split('"').next().unwrap()).collect()
}

fn answer_of(answer: &Response) -> Value {
    serde_json::from_slice(&answer.decoded()).unwrap()
}

fn candidate(answer: &Response) -> u64 {
    answer.json()["candidate"]["number"].as_u64().unwrap()
}

/// The releases of every deployment.
fn sets(gateway: &Gateway) -> BTreeMap<u64, Value> {
    let list = gateway.operate(Request::new("GET", "/api/v1/deployments")).json();
    let sets = list["deployments"].as_array().unwrap().iter();
    sets.map(|deployment| {
        (
            deployment["number"].as_u64().unwrap(),
            deployment["releases"].clone(),
        )
    })
    .collect()
}

fn releases() -> Vec<Release> {
    let mut releases = Vec::new();
    for version in VERSIONS {
        releases.push(Release::shell(version));
        for name in SECTIONS {
            releases.push(Release::section(name, version, &[&format!("/{name}")]));
        }
    }
    releases
}

fn assets(releases: &[Release]) -> HashMap<String, String> {
    let mut assets = HashMap::new();
    for release in releases {
        for path in release.files.keys() {
            if let Some(file) = path.strip_prefix("client/") {
                let url = format!("/assets/{}/{}/{file}", release.name, release.version);
                assets.insert(url, release.integrity(path));
            }
        }
    }
    assets
}
