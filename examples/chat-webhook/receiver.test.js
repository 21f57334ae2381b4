import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

import { afterEach, beforeEach, expect, test } from "vitest";

import { createReceiver, parseSecret } from "./receiver.js";
import { textOf } from "./text.js";

const KEY = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
const EVENT = {
  site: "https://site.example",
  id: "change-42-1764424242",
  type: "deployment.changed",
  data: { by: "ci-legal", action: "deploy", sections: { legal: { from: "1.0.0", to: "1.1.0" } }, reason: "new terms" },
  sources: { "legal@1.0.0": { commit: "9c1" }, "legal@1.1.0": { commit: "4bf92f3577b34da6a3ce", author: "jose" } },
};
const LINE =
  "https://site.example: ci-legal, deploy legal 1.0.0 → 1.1.0 (4bf92f3577b3, by jose): new terms https://admin.example/console/history?section=legal";

let chat, receiver, texts, chatStatus;

async function listening(server) {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${server.address().port}/`;
}

beforeEach(async () => {
  [texts, chatStatus] = [[], 200];
  chat = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    texts.push(JSON.parse(Buffer.concat(chunks).toString()).text);
    response.writeHead(chatStatus, { connection: "close" }).end();
  });
  const chatUrl = await listening(chat);
  receiver = createReceiver({ key: KEY, chatUrl, consoleUrl: "https://admin.example" });
  receiver.url = await listening(receiver);
});

afterEach(() => {
  chat.close();
  receiver.close();
});

async function deliver(event, { key = KEY, age = 0 } = {}) {
  const [body, timestamp] = [JSON.stringify(event), String(Math.floor(Date.now() / 1000) - age)];
  const digest = createHmac("sha256", key).update(`${event.id}.${timestamp}.${body}`).digest("base64");
  const headers = { "webhook-id": event.id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${digest}` };
  return (await fetch(receiver.url, { method: "POST", headers, body })).status;
}

test("a secret needs 24 bytes", () => {
  expect(parseSecret(`whsec_${KEY.toString("base64")}`)).toEqual(KEY);
  for (const secret of ["whsec_", `whsec_${Buffer.alloc(23).toString("base64")}`])
    expect(parseSecret(secret)).toBeUndefined();
});

test("a message becomes one line in the chat, also when it is repeated", async () => {
  expect(await deliver(EVENT)).toBe(204);
  expect(await deliver(EVENT)).toBe(204);
  expect(texts).toEqual([LINE]);
});

test("a message with another signature or an old one is refused", async () => {
  expect(await deliver(EVENT, { key: Buffer.alloc(24) })).toBe(401);
  expect(await deliver(EVENT, { age: 600 })).toBe(401);
  expect((await fetch(receiver.url, { method: "POST", body: "{}" })).status).toBe(401);
  expect(texts).toEqual([]);
});

test("a delivery fails while the chat does, so that it is repeated", async () => {
  chatStatus = 500;
  expect(await deliver(EVENT)).toBe(502);
  chatStatus = 200;
  expect(await deliver(EVENT)).toBe(204);
  expect(texts).toEqual([LINE, LINE]);
});

test.each([
  ["release.published", { by: "ci", name: "legal", version: "1.1.0" }, "ci published legal 1.1.0"],
  [
    "release.published",
    {
      by: "ci",
      name: "legal",
      version: "1.1.0",
      source: { commit: "4bf92f3577b34da6a3ce", url: "https://git.example/a", author: "jose" },
    },
    "ci published legal 1.1.0 (4bf92f3577b3, by jose, https://git.example/a)",
  ],
  [
    "rollout.changed",
    { by: "gateway", action: "automatic-abort", percent: 0, sections: {}, reason: "5 failed" },
    "gateway, automatic-abort (0% of visitors): 5 failed",
  ],
  [
    "extension.switched",
    { by: "ops", action: "extension-off", extension: { section: "events", point: "page/aside" }, reason: null },
    "ops, extension-off of events in page/aside",
  ],
  [
    "deployment.changed",
    { by: "ci", action: "deploy", sections: {}, reason: "<!channel> <https://evil.example?a&b|Approve>" },
    "ci, deploy: &lt;!channel&gt; &lt;https://evil.example?a&amp;b|Approve&gt;",
  ],
  [
    "admin.request",
    { by: "ci", action: "deploy", target: "legal@1.1.0", outcome: "refused", cause: "conflict" },
    "ci, deploy legal@1.1.0 refused: conflict",
  ],
  [
    "certificate.failing",
    { gateway: "web-1", subject: "site listener", error: "expired" },
    "certificate.failing at web-1, site listener: expired",
  ],
])("%s has a line", (type, data, line) => {
  expect(textOf({ site: "site", type, data })).toBe(`site: ${line}`);
});

const RELEASE = { from: "1.0.0", to: "1.1.0" };

test.each([
  ["release.published", { name: "legal", version: "1.1.0+a" }, "/console/sections/legal?release=1.1.0%2Ba"],
  ["rollout.changed", { sections: { legal: RELEASE } }, "/console/history?section=legal"],
  ["deployment.changed", { sections: { legal: RELEASE, events: RELEASE } }, "/console/history"],
  ["deployment.changed", { sections: {} }, "/console/history"],
  ["extension.switched", { extension: { section: "events", point: "page/aside" } }, "/console/sections/events"],
  ["store.degraded", { gateway: "web-1", subject: "store" }, "/console/gateways"],
])("%s with %j links to the console", (type, data, path) => {
  const link = textOf({ site: "site", type, data }, "https://admin.example/").split(" ").at(-1);
  expect(link).toBe(`https://admin.example${path}`);
});

test("a call that was refused has no link", () => {
  const event = { site: "site", type: "admin.request", data: { by: "ci", action: "deploy", outcome: "refused" } };
  expect(textOf(event, "https://admin.example")).toBe(textOf(event));
});
