//! Deployments, rollbacks and rollouts under load: no request fails, and no document mixes releases.
//!
//! Visitors read documents and their assets over keep-alive connections while an operator deploys, rolls back and rolls
//! out without a pause. With `SOAK=1` there are 200 deployments and 200 rollbacks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::support::{Client, Connection, Gateway, Release, Request, Response, SetOnDrop, soak_iterations};

/// The number of deployments, and of rollbacks.
const CHANGES: usize = 200;

/// The number of rollouts.
const ROLLOUTS: usize = 50;

const VISITORS: u64 = 4;
const SECTIONS: [&str; 3] = ["one", "two", "three"];
const VERSIONS: [&str; 3] = ["1.0.0", "1.1.0", "1.2.0"];

/// The releases that the documents of each deployment named.
type Seen = BTreeMap<String, BTreeSet<(String, String)>>;

#[test]
fn deploys_under_load_fail_no_request_and_mix_no_releases() {
    let releases = releases();
    let gateway = Gateway::start();
    for release in &releases {
        gateway.publish(release);
    }
    let names = SECTIONS.iter().chain(&["shell"]);
    gateway.deploy(&names.map(|&name| (name.to_owned(), json!(VERSIONS[0]))).collect());
    let assets = assets(&releases);
    let done = AtomicBool::new(false);
    let (seen, documents) = std::thread::scope(|scope| {
        let visitors: Vec<_> = (0..VISITORS)
            .map(|number| {
                let mut visitor = Visitor::new(&gateway.site, &assets, number);
                let done = &done;
                scope.spawn(move || {
                    loop {
                        // Visit once more after the last change.
                        let was_done = done.load(Ordering::Relaxed);
                        visitor.visit();
                        if was_done {
                            break;
                        }
                    }
                    (visitor.seen, visitor.documents)
                })
            })
            .collect();
        // Stops the visitors even if the operator panics.
        let stop = SetOnDrop(&done);
        let operator = Operator(&gateway);
        operator.deploy_repeatedly();
        operator.roll_back_repeatedly();
        operator.roll_out_repeatedly();
        drop(stop);
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
    let live = gateway.admin_get("/api/v1/deployments")["live"].as_u64().unwrap();
    assert!(
        seen.contains_key(&live.to_string()),
        "no visitor saw the live deployment {live}"
    );
    let deployments = deployments_by_number(&gateway);
    for (deployment, releases) in seen {
        for (name, version) in releases {
            assert_eq!(
                released(&deployments, &deployment, &name),
                version.as_str(),
                "{name} in a document of {deployment}"
            );
        }
    }
    assert!(!gateway.output().contains("\"level\":\"ERROR\""));
}

/// Changes the live deployment, one call after the other.
struct Operator<'a>(&'a Gateway);

impl Operator<'_> {
    fn deploy_repeatedly(&self) {
        for turn in 1..=soak_iterations(CHANGES) {
            // Every seventh turn deploys the shell. No version is deployed twice in a row.
            let name = if turn % 7 == 0 {
                "shell"
            } else {
                SECTIONS[turn % 3]
            };
            let version = self.other_version(name, turn);
            let response = self.0.post_deployment(&json!({ "releases": { name: version } }));
            self.assert_live(&response, 201);
        }
    }

    fn roll_back_repeatedly(&self) {
        for turn in 1..=soak_iterations(CHANGES) {
            let body = match turn % 4 {
                0 => {
                    // Earlier rollbacks may have left nothing to return to.
                    let other = json!({ "releases": { "one": self.other_version("one", turn) } });
                    self.assert_live(&self.0.post_deployment(&other), 201);
                    json!({})
                }
                2 => json!({ "deployment": turn }),
                _ => json!({ "section": SECTIONS[turn % 3] }),
            };
            let response = self.call("rollback", &body);
            // A whole deployment may be live already.
            self.assert_live(
                &response,
                if turn % 2 == 0 && response.status == 200 {
                    200
                } else {
                    201
                },
            );
        }
    }

    /// Rolls out one section while others change, then promotes or aborts it.
    fn roll_out_repeatedly(&self) {
        for turn in 1..=soak_iterations(ROLLOUTS) {
            let body = json!({ "releases": { "one": self.other_version("one", turn) }, "percent": 30 });
            let response = self.0.post_deployment(&body);
            assert_eq!(response.status, 201, "{}", response.text());
            let other = json!({ "releases": { "two": self.other_version("two", turn) } });
            let response = self.0.post_deployment(&other);
            assert_eq!(response.status, 201, "{}", response.text());
            let more = self.call(
                &format!("deployments/{}/promote", candidate(&response)),
                &json!({ "percent": 70 }),
            );
            assert_eq!(more.status, 200, "{}", more.text());
            let response = self.call("rollback", &json!({ "section": "two" }));
            assert_eq!(response.status, 201, "{}", response.text());
            let end = if turn % 2 == 0 { "promote" } else { "abort" };
            let response = self.call(&format!("deployments/{}/{end}", candidate(&response)), &json!({}));
            assert_eq!(response.status, 200, "{}", response.text());
        }
    }

    /// A version of a section or the shell other than the live one.
    fn other_version(&self, name: &str, turn: usize) -> &'static str {
        let list = self
            .0
            .admin_request(Request::new("GET", "/api/v1/sections"))
            .json();
        let mut sections = list.as_array().unwrap().iter();
        let live = &sections.find(|section| section["name"] == name).unwrap()["live"];
        let mut others = VERSIONS.iter().filter(|version| live != **version);
        others.nth(turn % 2).unwrap()
    }

    /// Panics unless the next document belongs to the deployment that a response names as live.
    fn assert_live(&self, response: &Response, status: u16) {
        assert_eq!(response.status, status, "{}", response.text());
        let boot = self.0.get("/one").boot();
        let (response, page) = (response.json(), &boot["page"]["section"]["version"]);
        assert_eq!(
            (&boot["deployment"], page),
            (
                &json!(response["number"].to_string()),
                &response["releases"]["one"]
            )
        );
    }

    fn call(&self, path: &str, body: &Value) -> Response {
        let request = Request::new("POST", &format!("/api/v1/{path}"));
        self.0.admin_request(request.body(body.to_string()))
    }
}

/// Reads pages and their assets.
struct Visitor<'a> {
    connection: Connection,
    /// The integrity of every asset by URL path.
    assets: &'a HashMap<String, String>,
    /// Every other visitor stores cookies.
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

    /// Reads a page, every asset it names, and the page's `/_page` response.
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
        let deployment = boot["deployment"].as_str().unwrap();
        let mut releases = BTreeSet::new();
        let named = assets_in(&html);
        assert!(named.len() > 5, "{html}");
        for path in named {
            let mut segments = path.split('/').skip(2);
            let name = segments.next().unwrap().to_owned();
            releases.insert((name, segments.next().unwrap().to_owned()));
            let integrity = self
                .assets
                .get(path)
                .unwrap_or_else(|| panic!("{path} belongs to no release"));
            assert!(
                path.ends_with("icon.svg") || html.contains(integrity),
                "{path} in {html}"
            );
            let asset = self.read(path);
            assert_eq!(crate::support::integrity(&asset.decoded()), *integrity, "{path}");
        }
        let owners: BTreeSet<&String> = releases.iter().map(|(name, _)| name).collect();
        assert_eq!(owners.len(), releases.len(), "a document mixes {releases:?}");
        let response = self.read(&format!("/_page/{deployment}?path=/{page}"));
        assert_eq!(decoded_json(&response)["section"], boot["page"]["section"]);
        self.seen
            .entry(deployment.to_owned())
            .or_default()
            .extend(releases);
        self.documents += 1;
    }

    /// Sends a request, which must succeed.
    fn read(&mut self, path: &str) -> Response {
        let coding = ["identity", "gzip", "br"].choose(&mut self.random).unwrap();
        let mut request = Request::new("GET", path).header("accept-encoding", coding);
        if let Some(cookie) = self.cookie.as_ref().filter(|_| self.random.random_ratio(9, 10)) {
            request = request.header("cookie", cookie);
        }
        let response = self
            .connection
            .exchange(request)
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(
            response.status,
            200,
            "{path}: {}",
            String::from_utf8_lossy(&response.body)
        );
        response
    }
}

/// The assets that a document names in its elements and boot payload.
fn assets_in(html: &str) -> BTreeSet<&str> {
    let starts = html.match_indices("\"/assets/").map(|(at, _)| &html[at + 1..]);
    starts.map(|rest| rest.split('"').next().unwrap()).collect()
}

fn decoded_json(response: &Response) -> Value {
    serde_json::from_slice(&response.decoded()).unwrap()
}

fn candidate(response: &Response) -> u64 {
    response.json()["rollouts"][0]["deployment"].as_u64().unwrap()
}

/// The version of a section in a set of deployments.
fn released<'a>(deployments: &'a BTreeMap<u64, Value>, set: &str, name: &str) -> &'a Value {
    let mut numbers = set
        .split('.')
        .map(|number| &deployments[&number.parse::<u64>().unwrap()]);
    let live = numbers.next().unwrap();
    let changes = |candidate: &&Value| candidate["changes"].as_array().unwrap().contains(&json!(name));
    &numbers.find(changes).unwrap_or(live)["releases"][name]
}

/// Every deployment, by number.
fn deployments_by_number(gateway: &Gateway) -> BTreeMap<u64, Value> {
    let list = gateway
        .admin_request(Request::new("GET", "/api/v1/deployments"))
        .json();
    let deployments = list["deployments"].as_array().unwrap().iter();
    deployments
        .map(|deployment| (deployment["number"].as_u64().unwrap(), deployment.clone()))
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
