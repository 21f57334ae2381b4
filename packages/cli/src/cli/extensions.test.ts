import { beforeAll, expect, test } from "vitest";

import { jsonResponse } from "../../fixtures/admin.js";
import { admin, failure, jsonBody, onlyRequest, runSection } from "../../fixtures/command.js";
import { temporaryFolder } from "../../fixtures/temporary.js";

const SHOWN = {
  section: "events",
  version: "1.2.0",
  point: "page/aside",
  pointVersion: 1,
  live: true,
  state: "visible",
  off: null,
  renders: 3,
  errors: 0,
  renderMs: 1.25,
  bytes: 7123,
};
const OFF = { at: "2026-01-31T10:02:03Z", by: "operator", reason: "it flickers" };
const SWITCHED = { section: "events", point: "page/aside" };

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

test("extensions are listed with why they are not shown", async () => {
  const list = [
    SHOWN,
    { ...SHOWN, section: "news", live: false, state: "full", errors: 2, renderMs: null },
    { ...SHOWN, section: "ads", state: "not-allowed" },
    { ...SHOWN, section: "old", pointVersion: 2, state: "not-opened" },
    { ...SHOWN, section: "gone", version: null, pointVersion: null, live: false, state: "off", off: OFF, bytes: null },
  ];
  admin.response = jsonResponse(list);
  expect(await runSection(folder, ["extensions"])).toEqual({
    code: 0,
    out: `point         extension               state                                                    errors  render ms  bytes
page/aside@1  events@1.2.0            shown                                                    0       1.3        7123
page/aside@1  news@1.2.0 (candidate)  left out: the point is full                              2       -          7123
page/aside@1  ads@1.2.0               left out: site.toml does not allow it                    0       -          7123
page/aside@2  old@1.2.0               left out: no live section opens the point                0       -          7123
page/aside    gone                    off since 2026-01-31 10:02 UTC by operator: it flickers  0       -          -
`,
    err: "",
  });
  expect(onlyRequest().line).toBe("GET /api/v1/extensions");
  expect(JSON.parse((await runSection(folder, ["extensions", "--json"])).out)).toEqual(list);
});

test.each([
  ["off", 201, "the extension of events for page/aside is off\n"],
  ["on", 200, "the extension of events for page/aside is on already\n"],
])("%s with status %i switches an extension", async (action, status, out) => {
  admin.response = jsonResponse(SWITCHED, status);
  const args = ["extensions", action, "events", "page/aside", "--reason", "it flickers"];
  expect(await runSection(folder, args)).toEqual({ code: 0, out, err: "" });
  expect(onlyRequest().line).toBe("POST /api/v1/extensions");
  expect(jsonBody(onlyRequest())).toEqual({ ...SWITCHED, on: action === "on", reason: "it flickers" });
});

test("an action without a point is rejected", async () => {
  expect(await runSection(folder, ["extensions", "off", "events"])).toEqual(
    failure("expected a section and a point, such as `colonnade extensions off events directory/city-aside`"),
  );
  expect(admin.requests).toEqual([]);
});
