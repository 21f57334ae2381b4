// Tokens that are not in COLONNADE_TOKEN. A test of the site signs in at a real identity provider.
import { readdir, readFile, stat, utimes } from "node:fs/promises";
import path from "node:path";

import { beforeEach, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, failure, runSection, TOKEN, type CommandOutput } from "../../fixtures/command.js";
import { temporaryFolder, writeFiles } from "../../fixtures/temporary.js";

const HISTORY = "GET /api/v1/history?limit=20";
const PROVIDERS = "GET /api/v1/sign-in";
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  const issuer = `${admin.url}/realm`;
  const people = { name: "people", issuer, deviceClientId: "cli", scopes: ["openid"] };
  // What a gateway lists is no reason to request a token for it.
  const ci = { name: "ci", issuer, audience: "https://other.example", deviceClientId: null, scopes: ["openid"] };
  admin.response = jsonResponse({ entries: [], next: null });
  admin.responses = {
    [PROVIDERS]: jsonResponse({ providers: [people, ci] }),
    "GET /api/v1/session": jsonResponse({ token: "people:ada" }),
    "GET /realm/.well-known/openid-configuration": jsonResponse({
      issuer,
      token_endpoint: `${issuer}/token`,
      device_authorization_endpoint: `${issuer}/device`,
      revocation_endpoint: `${issuer}/revoke`,
    }),
    "POST /realm/device": jsonResponse({
      device_code: TOKEN,
      user_code: "ABCD-EFGH\u001b",
      verification_uri: `${issuer}/enter`,
      expires_in: 60,
      interval: 0,
    }),
  };
});

/** An ID token that expires in this many seconds. Only the gateway checks its signature. */
function idToken(seconds: number): string {
  const claims = JSON.stringify({ exp: Math.floor(Date.now() / 1000) + seconds, secret: TOKEN });
  return `e30.${Buffer.from(claims).toString("base64url")}.AA`;
}

function run(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<CommandOutput> {
  return runSection(folder, args, { COLONNADE_TOKEN: undefined, XDG_CONFIG_HOME: folder, ...environment });
}

function requestsFor(line: string): readonly string[] {
  return admin.requests.filter((request) => request.line.startsWith(line)).map(({ body }) => body.toString());
}

function lastAuthorization(): string | undefined {
  return admin.requests.at(-1)?.headers.authorization;
}

test.each([
  ["the origin of COLONNADE_ADMIN", "", admin.url],
  ["COLONNADE_AUDIENCE", "https://gateway.example", "https://gateway.example"],
])("a job of GitHub Actions gets an ID token for %s", async (_, COLONNADE_AUDIENCE, audience) => {
  const line = `GET /oidc?api-version=1&audience=${encodeURIComponent(audience)}`;
  const token = idToken(300);
  admin.responses = { ...admin.responses, [line]: jsonResponse({ value: token }) };
  const job = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${admin.url}/oidc?api-version=1`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token",
    COLONNADE_AUDIENCE,
  };
  expect((await run(["history"], job)).code).toBe(0);
  expect(admin.requests.find((request) => request.line === line)?.headers.authorization).toBe("Bearer request-token");
  expect(lastAuthorization()).toBe(`Bearer ${token}`);
  admin.responses = { ...admin.responses, [HISTORY]: jsonResponse({ title: "Unauthorized" }, 401) };
  expect((await run(["history"], job)).err).toContain(`\nThe token is the ID token of this job for ${audience}; `);
});

test("a response that is not JSON is not quoted", async () => {
  admin.responses = { ...admin.responses, "POST /realm/device": { status: 200, body: TOKEN } };
  const { code, err } = await run(["login"]);
  expect(code).toBe(6);
  expect(err).toMatch(/error: cannot use the identity provider: \S+\/realm\/device: it did not return JSON\n$/);
});

test("a token in a file is read", async () => {
  await writeFiles(folder, { token: `${TOKEN}\n` });
  expect((await run(["history"], { COLONNADE_TOKEN_FILE: path.join(folder, "token") })).code).toBe(0);
  expect(lastAuthorization()).toBe(`Bearer ${TOKEN}`);
  const missing = await run(["history"], { COLONNADE_TOKEN_FILE: path.join(folder, "none") });
  expect(missing.err).toMatch(/^error: COLONNADE_TOKEN_FILE cannot be read: ENOENT/);
});

test("a client certificate takes the place of a token", async () => {
  await writeFiles(folder, { "client.pem": "certificate", "client.key": "key" });
  const files = {
    COLONNADE_CLIENT_CERTIFICATE: path.join(folder, "client.pem"),
    COLONNADE_CLIENT_KEY: path.join(folder, "client.key"),
  };
  expect((await run(["history"], files)).code).toBe(0);
  expect(lastAuthorization()).toBeUndefined();
  admin.response = jsonResponse({ title: "Unauthorized" }, 401);
  expect((await run(["history"], files)).err).toContain("COLONNADE_CLIENT_CERTIFICATE; ask the gateway's operator");
  await run(["history"], { ...files, COLONNADE_TOKEN: TOKEN });
  expect(lastAuthorization()).toBe(`Bearer ${TOKEN}`);
});

test("login keeps the tokens, and logout deletes them", async () => {
  const tokens = { id_token: idToken(300), refresh_token: TOKEN };
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse(tokens) };
  const file = path.join(folder, "colonnade/credentials.json");
  await writeFiles(folder, { [`colonnade/credentials.json.${String(process.pid)}`]: "" });
  expect(await run(["login"])).toEqual({
    code: 0,
    out: `signed in at ${admin.url} as people:ada\n`,
    err: `Open ${admin.url}/realm/enter and enter the code ABCD-EFGH\ufffd\n`,
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await run(["history"])).code).toBe(0);
  expect(lastAuthorization()).toBe(`Bearer ${tokens.id_token}`);
  admin.responses = { ...admin.responses, "POST /realm/revoke": { status: 200, body: "" } };
  expect(await run(["logout"])).toEqual({ code: 0, out: `signed out from ${admin.url}\n`, err: "" });
  expect(requestsFor("POST /realm/revoke")).toEqual([`token=${TOKEN}&client_id=cli`]);
  expect(await readFile(file, "utf8")).toBe("{}\n");
  expect((await run(["logout"])).out).toBe("not signed in\n");
});

test("logout warns if the provider refuses to revoke the token", async () => {
  const tokens = { id_token: idToken(300), refresh_token: TOKEN };
  const refusal = jsonResponse({ error: "temporarily_unavailable" }, 503);
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse(tokens), "POST /realm/revoke": refusal };
  await run(["login"]);
  const { code, err } = await run(["logout"]);
  expect(code).toBe(0);
  expect(err).toMatch(
    /^warning: the refresh token is not revoked: \S.*: \S+\/realm\/revoke: Error: it responded with status 503\n$/,
  );
});

test.each(["", "config"])("XDG_CONFIG_HOME=%j counts as none", async (XDG_CONFIG_HOME) => {
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse({ id_token: idToken(300) }) };
  expect((await run(["login"], { XDG_CONFIG_HOME, HOME: folder })).code).toBe(0);
  expect(await readdir(path.join(folder, ".config/colonnade"))).toEqual(["credentials.json"]);
});

test("an ID token that expires is refreshed", async () => {
  const first = { id_token: idToken(30), refresh_token: "first" };
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse(first) };
  await run(["login"]);
  const next = { id_token: idToken(300), refresh_token: "second" };
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse(next) };
  await run(["history"]);
  expect(requestsFor("POST /realm/token").at(-1)).toBe("grant_type=refresh_token&refresh_token=first&client_id=cli");
  expect(lastAuthorization()).toBe(`Bearer ${next.id_token}`);
  await run(["history"]);
  expect(requestsFor("POST /realm/token")).toHaveLength(2);
});

test("commands at once refresh an ID token once", async () => {
  const first = { id_token: idToken(30), refresh_token: "first" };
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse(first) };
  await run(["login"]);
  // A provider that rotates refresh tokens refuses one that it has replaced.
  const answers = [jsonResponse({ id_token: idToken(300), refresh_token: "second" })];
  admin.responses = {
    ...admin.responses,
    get "POST /realm/token"() {
      return answers.shift() ?? jsonResponse({ error: "invalid_grant" }, 400);
    },
  };
  const results = await Promise.all([run(["history"]), run(["history"]), run(["history"])]);
  expect(results.map(({ code, err }) => [code, err])).toEqual([0, 0, 0].map((code) => [code, ""]));
  expect(await readdir(path.join(folder, "colonnade"))).toEqual(["credentials.json"]);
});

test("the lock of a command that was killed is taken over", async () => {
  const lock = path.join(folder, "colonnade/credentials.json.lock");
  await writeFiles(folder, { "colonnade/credentials.json.lock": "" });
  await utimes(lock, 0, 0);
  expect((await run(["logout"])).out).toBe("not signed in\n");
});

test.each([undefined, TOKEN])("a session that has ended says how to sign in again", async (refresh_token) => {
  const tokens = { id_token: idToken(30), refresh_token };
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse(tokens) };
  await run(["login"]);
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse({ error: "invalid_grant" }, 400) };
  expect(await run(["history"])).toEqual(
    failure("your session has ended; sign in with `colonnade login`", "unauthorized"),
  );
});

test.each([
  [
    { error: "temporarily_unavailable" },
    503,
    6,
    /identity provider: \S+\/realm\/token: Error: it responded with status 503/,
  ],
  [{ error: "invalid_client" }, 401, 4, /\/realm refused: invalid_client/],
])("a provider that responds %j has not ended the session", async (body, status, expected, message) => {
  const tokens = { id_token: idToken(30), refresh_token: TOKEN };
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse(tokens) };
  await run(["login"]);
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse(body, status) };
  const { code, err } = await run(["history"]);
  expect([code, err]).toEqual([expected, expect.stringMatching(message)]);
});

test("a refresh token that comes without an ID token is kept", async () => {
  const first = { id_token: idToken(30), refresh_token: "first" };
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse(first) };
  await run(["login"]);
  admin.responses = { ...admin.responses, "POST /realm/token": jsonResponse({ refresh_token: "second" }) };
  expect(await run(["history"])).toEqual(
    failure(`${admin.url}/realm returned no ID token; sign in with \`colonnade login\``, "unauthorized"),
  );
  await run(["history"]);
  expect(requestsFor("POST /realm/token").at(-1)).toContain("refresh_token=second");
});

test("login goes on after a failed request", async () => {
  const failed = jsonResponse({ error: "temporarily_unavailable" }, 503);
  const answers = [failed, jsonResponse({ id_token: idToken(300) })];
  admin.responses = {
    ...admin.responses,
    get "POST /realm/token"() {
      return answers.shift() ?? failed;
    },
  };
  expect((await run(["login"])).code).toBe(0);
  expect(answers).toEqual([]);
});

test("login names the providers if there are several or none", async () => {
  const provider = { issuer: "https://a.example", deviceClientId: "cli", scopes: ["openid"] };
  const providers = ["a", "b"].map((name) => ({ ...provider, name }));
  admin.responses = { [PROVIDERS]: jsonResponse({ providers }) };
  expect(await run(["login"])).toEqual(failure("expected --provider with one of a, b"));
  admin.responses = { [PROVIDERS]: jsonResponse({ providers: [] }) };
  expect(await run(["login"])).toEqual(
    failure("the gateway has no identity provider with `device_client_id`; ask its operator for a token"),
  );
  expect(requestsFor(HISTORY)).toEqual([]);
});
