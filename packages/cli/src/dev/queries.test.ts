import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, expect, test } from "vitest";

import { apiUrl, runQueries } from "./queries.js";

const ROUTES = { site: "https://site.example", apis: new Map([["cities", "http://localhost:3000/v1/"]]) };

test.each([
  ["/api/cities", "http://localhost:3000/v1"],
  ["/api/cities/texas?page=2", "http://localhost:3000/v1/texas?page=2"],
  ["/api/cities?page=2", "http://localhost:3000/v1?page=2"],
  ["/api/events", undefined],
  ["/api/citiesx", undefined],
  ["/cities", undefined],
])("%s goes to %s", (path, url) => {
  expect(apiUrl(ROUTES, path)).toBe(url);
});

let server: Server;
let site: string;

beforeAll(async () => {
  server = createServer(({ url, headers }, response) => {
    if (url === "/api/events?page=2") response.end(JSON.stringify([headers.accept, headers.cookie]));
    else if (url === "/api/html") response.end("<!doctype html>");
    else if (url === "/api/latin1") response.end(Buffer.from('"caf\xe9"', "latin1"));
    else if (url === "/api/moved") response.writeHead(302, { location: "/api/events?page=2" }).end();
    else if (url === "/api/created") response.writeHead(201).end("{}");
    else if (url === "/api/none") response.writeHead(404).end();
    else response.writeHead(404, { "proxy-status": "colonnade; error=destination_not_found" }).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  site = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});

afterAll(() => {
  server.close();
});

test("queries get JSON, or the status of their failure", async () => {
  const apis = new Map([["closed", "http://127.0.0.1:1"]]);
  const names = ["html", "latin1", "moved", "created", "none", "unserved", "closed"];
  const queries = Object.fromEntries(names.map((name) => [name, `/api/${name}`]));
  expect(await runQueries({ site, apis }, { ...queries, events: "/api/events?page=2" })).toEqual({
    events: { ok: true, value: ["application/json", null] },
    html: { ok: false, status: 502 },
    latin1: { ok: false, status: 502 },
    moved: { ok: false, status: 502 },
    created: { ok: false, status: 502 },
    none: { ok: false, status: 404 },
    unserved: { ok: false, status: 503 },
    closed: { ok: false, status: 502 },
  });
});
