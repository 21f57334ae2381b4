import { describe, expect, test } from "vitest";

import { FILES, read } from "./repository.js";

/** Names that a standard term of docs/glossary.md replaced, by the files in which they must not come back. */
const RETIRED = [
  {
    what: "identifiers",
    files: /\.(rs|[jt]sx?|mjs|css|html|py|sh)$/,
    words: [
      ...["hear_out", "may_see", "take_back", "is_news", "has_news", "put_back", "put_aside", "set_aside"],
      ...["swap_state", "Settle", "SectionBoundary", "JoinBoundary", "JoinPlace", "markStarted"],
    ],
    parts: [
      ...["allowance", "seat", "seats", "seating", "guest", "guests", "farewell", "farewells", "lent", "heard"],
      ...["wish", "keeper", "judge", "door", "rescue", "displaced", "crowded", "resting", "rests", "flights"],
    ],
  },
  {
    what: "identifiers of the gateway",
    files: /^(gateway|fuzz)\/.*\.rs$/,
    // Lower case, these are ordinary words of comments. Elsewhere, a sentence may start with them.
    capitalizedParts: ["Asked", "Flight", "Kept", "Looks", "Room", "Shown", "Tried", "Wanted"],
    words: ["GiveWay", "give_way", "gives_way", "gave_way"],
    parts: ["newcomer", "newcomers", "hopeful", "crowd", "crowds"],
  },
  {
    what: "identifiers of browser code",
    files: /\.([jt]sx?|mjs)$/,
    // Elsewhere, comments are about renewed certificates.
    parts: ["renewed"],
  },
  {
    what: "names of the section contract and the design",
    files: /\.(rs|md|css|html|mjs|[jt]sx?)$/,
    words: ["data-arrived", "logsAddresses", "--later"],
  },
  {
    what: "configuration keys",
    files: /\.(rs|toml|md|mjs|[jt]sx?)$/,
    words: [
      ...["head_ms", "handshake_ms", "first_byte_ms", "idle_ms", "life_ms", "progress_ms", "progress_bytes"],
      ...["drain_ms", "stop_delay_ms", "head_kib", "keep_ms", "keep_deployments", "keep_hours", "rest_seconds"],
      ...["attempts_per_client", "trace_percent", "margin_percent", "minimum_views", "minimum_clients"],
      ...["admin_hosts", "redirect_hosts", "cpu_ms", "memory_mib"],
    ],
    keys: [
      ...["attempts", "collector", "concurrent", "failures", "connections_per_client", "requests"],
      ...["requests_per_client", "streams", "resets", "control_frames", "headers", "proxies", "hosts", "addresses"],
      ...["sample_percent"],
    ],
  },
  {
    what: "metrics",
    files: /\.(rs|md|mjs|[jt]sx?)$/,
    words: [
      ...["colonnade_requests_total", "colonnade_request_duration_seconds", "colonnade_connections_refused_total"],
      ...["colonnade_connections_ended_total", "colonnade_requests_given_up_total", "colonnade_signup_breaker"],
      ...["colonnade_render_resting", "colonnade_render_workers_replaced_total", "colonnade_policy_violations_total"],
      ...["colonnade_documents_composed_total"],
    ],
  },
  {
    what: "labels and log events",
    files: /\.(rs|md|mjs|[jt]sx?)$/,
    words: [
      ...["slow_head", "slow_body", "slow_reader", "too_often", "client_busy", "signup_resting", "file_lost"],
      ...["section_failed", "drain_cut_short", "certificate_failed", "certificate_loaded", "connection_ended"],
      ...["reload_failed", "releases_aside", "render_worker_not_confined", "render_worker_not_started"],
      ...["render_worker_replaced", "store_failed", "store_unreadable", "admin_failed", "signup_unreachable"],
    ],
  },
  {
    what: "labels and log events of the gateway",
    files: /^gateway\/.*\.rs$/,
    strings: ["left", "crowded", "life", "silent", "busy", "threw", "greeting", "resting"],
    events: ["changed", "published", "stopping", "stopped"],
  },
];

const THIS_FILE = "tests/docs/vocabulary.test.js";

for (const { what, files, ...names } of RETIRED) {
  test(`No file uses retired ${what}`, () => {
    const name = namePattern(names);
    const uses = FILES.filter((file) => files.test(file) && file !== THIS_FILE).flatMap((file) =>
      findNames(read(file), name).map((use) => `${file}:${use}`),
    );
    expect(uses, "use the term of docs/glossary.md").toEqual([]);
  });
}

/** Words of the bundled site, which the platform must not have: it serves any site. */
const SITE_WORDS =
  /JoinButton|useJoin|\bsign-?ups?\b|sign_?up|under.?age|\b18\+|partner|escort|legal.?entity|temple|\badult/gi;

/** What serves any site. */
const PLATFORM = /^(gateway\/(src\/|crates\/|Cargo\.toml)|packages\/(kit|shell|cli|create-section)\/)/;

/** The parts of the gateway that have the words: its integrations, and their tests. */
const INTEGRATIONS = /^gateway\/.*\/integrations(\/|\.)/;

test("The platform has no word of the bundled site outside of the gateway's integrations", () => {
  const platform = FILES.filter((file) => PLATFORM.test(file) && !INTEGRATIONS.test(file));
  expect(platform.length).toBeGreaterThan(500);
  const uses = platform.flatMap((file) => findNames(read(file), SITE_WORDS).map((use) => `${file}:${use}`));
  expect(uses, "put it into packages/design, shell/ or the gateway's integrations").toEqual([]);
});

describe("namePattern", () => {
  const name = namePattern({
    words: ["may_see"],
    parts: ["seat"],
    capitalizedParts: ["Flight"],
    keys: ["attempts"],
    strings: ["left"],
    events: ["changed"],
  });

  test.each([
    ...["may_see()", "seat", "Seat", "SEAT", "is_seat", "seat_of(x)", "SEAT_LIMIT", "FreeSeat", "seatOf", "// a seat"],
    ...["Flight", "OpenFlight", "attempts = 5", '# attempts = "5"'],
    ...['Self::Canceled => "left",', 'info!(event = "changed")', 'line["event"] == "changed"'],
  ])("matches %j", (line) => {
    expect(findNames(line, name)).toHaveLength(1);
  });

  test.each([
    ...["may_see_all", "seated", "Seattle", "unseat", "requests_in_flight", "RequestsInFlight", "requests in flight"],
    ...["let attempts = 5;", "attempts = 0;", "max_attempts = 5", "attempts = count()", "attempts == 5"],
    ...["bytes left", '"bytes left"', '"left over"', '"changed"', 'event = "deployment_changed"'],
  ])("does not match %j", (line) => {
    expect(findNames(line, name)).toEqual([]);
  });
});

/**
 * Builds a pattern that matches whole words, parts of snake_case and camelCase identifiers, keys with a TOML value, whole
 * string literals, and values of the log field `event`.
 *
 * @typedef {"words" | "parts" | "capitalizedParts" | "keys" | "strings" | "events"} Kind
 * @param {Partial<Record<Kind, string[]>>} names
 */
function namePattern({ words = [], parts = [], capitalizedParts = [], keys = [], strings = [], events = [] }) {
  const capitalized = [...capitalizedParts, ...parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1))];
  const alternatives = [
    words.length > 0 && `(?<![\\w-])(?:${words.join("|")})(?![\\w-])`,
    parts.length > 0 && `(?<![A-Za-z])(?:${parts.join("|")})(?![a-z])`,
    parts.length > 0 && `(?<![A-Za-z])(?:${parts.join("|").toUpperCase()})(?![A-Za-z])`,
    // 'InFlight' is the standard term for a request that has no response yet.
    capitalized.length > 0 && `(?<![A-Z]|In)(?:${capitalized.join("|")})(?![a-z])`,
    // The value tells a key from a variable: other languages end the line with a semicolon or a comma.
    keys.length > 0 &&
      `^\\s*(?:# *)?(?:${keys.join("|")})\\s*=\\s*(?:\\d[\\d_.]*|true|false|".*"|\\[.*\\]|\\{.*\\})\\s*(?:#.*)?$`,
    strings.length > 0 && `"(?:${strings.join("|")})"`,
    events.length > 0 && `\\bevent(?: =|"\\] ==) "(?:${events.join("|")})"`,
  ];
  return new RegExp(alternatives.filter(Boolean).join("|"), "g");
}

/**
 * Lists the names in a text, each with its line number.
 *
 * @param {string} text @param {RegExp} name
 */
function findNames(text, name) {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => [...line.matchAll(name)].map(([found]) => `${index + 1}: ${found.trim()}`));
}
