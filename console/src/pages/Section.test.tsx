import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, expect, test, vi } from "vitest";

import { ConsoleProvider, type Console, type Outcome } from "../data.js";
import type { AccessList, ErrorEntry, LogEntry, Section } from "../openapi.js";
import { SectionPage } from "./Section.js";

const AT = "2030-01-01T12:00:00Z";
const release = (version: string): Section["releases"][number] => ({ version, publishedAt: AT, by: "team", bytes: 1 });
const SOURCE = { commit: "0123456789abcdef", url: "https://git.example/1", author: "Ada" };
const LEGAL: Section = {
  name: "legal",
  kind: "section",
  releases: [release("1.0.0"), { ...release("2.0.0"), source: SOURCE }],
  live: "1.0.0",
  patterns: [],
  candidate: null,
  previous: "2.0.0",
  usage: { storedBytes: 1, maxStoredBytes: 2, publishes: 1, maxPublishesPerDay: 2 },
};
const ERROR: ErrorEntry = {
  section: "legal",
  version: "1.0.0",
  page: "/terms",
  extensionPoint: null,
  source: "browser",
  cause: "render",
  class: "TypeError",
  position: null,
  count: 3,
  firstSeen: AT,
  lastSeen: AT,
};
const FAILED: LogEntry = {
  id: 2,
  at: AT,
  kind: "trial-failed",
  release: "legal@2.0.0",
  problems: ["rendering /terms (page /terms of legal@2.0.0) failed: TypeError\n  at Terms (section:1:9)"],
};
// Line 1, column 9 of the script is line 3, column 8 of the source.
const SOURCE_MAP = {
  version: 3,
  sources: ["src/Terms.tsx"],
  sourcesContent: ["\n\n  return terms.map(show);\n"],
  names: [],
  mappings: "QAEO",
};
const mapOf = (version: string, script: string): string =>
  `/api/v1/sections/legal/releases/${version}/source-map?script=${script}`;
const CHANGE = {
  revision: 3,
  at: AT,
  by: "team",
  action: "deploy",
  live: 4,
  sections: { legal: { from: null, to: "1.0.0" } },
  reason: null,
};
const TRAFFIC = { since: AT, minutes: 60, step: 1, series: [] };
const ACCESS: AccessList = {
  tokens: [
    { name: "operator", sections: ["*"], actions: ["deploy", "garbage_collect"], expiresAt: null },
    { name: "ci", sections: ["legal"], actions: ["publish", "deploy"], expiresAt: "2020-01-01T00:00:00Z" },
    { name: "collector", sections: ["*"], actions: ["metrics"], expiresAt: null },
    { name: "other team", sections: ["events"], actions: ["deploy"], expiresAt: null },
  ],
  grants: [{ provider: "github", claims: { repository: ["acme/legal"] }, sections: ["legal"], actions: ["publish"] }],
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

type Called = readonly [method: string, path: string, body: unknown];

interface Shown {
  readonly calls: readonly Called[];
  readonly announced: readonly Outcome[];
  /** What each minute changes. */
  readonly update: () => void;
}

/** Shows a section to a session with these actions, with responses by path. */
function show(section: Section, actions: readonly string[], responses: Readonly<Record<string, object>> = {}): Shown {
  const calls: Called[] = [];
  const announced: Outcome[] = [];
  const usual: Readonly<Record<string, object>> = {
    "/api/v1/sections/legal/errors": { since: AT, errors: [ERROR] },
    "/api/v1/access": ACCESS,
    "/api/v1/sections/legal/logs": { entries: [{ id: 1, at: AT, kind: "changed" }, FAILED] },
  };
  vi.stubGlobal("fetch", (path: string, { method = "GET", body }: RequestInit) => {
    calls.push([method, path, typeof body === "string" ? JSON.parse(body) : undefined]);
    const response = responses[path] ?? usual[path];
    const isResponse = response instanceof Response || response instanceof Promise;
    return Promise.resolve(isResponse ? response : new Response(JSON.stringify(response)));
  });
  const value: Partial<Console> = {
    sections: [section],
    rollouts: [],
    extensions: [],
    deployments: {
      live: 4,
      rollouts: [],
      deployments: [{ number: 4, releases: { legal: "1.0.0" }, createdAt: AT, by: "team", reason: null }],
      damaged: [],
      sources: {},
      next: null,
      url: "https://site.example",
    },
    history: { entries: [], damaged: [], sources: {}, next: null },
    range: 60,
    gateway: { status: "ready" } as Console["gateway"],
    can: (action) => actions.includes(action),
    reload: () => Promise.resolve(),
    announce: (outcome) => announced.push(outcome),
  };
  const page = (now: number): ReactElement => (
    <ConsoleProvider value={{ ...value, traffic: { ...TRAFFIC, now } } as Console}>
      <SectionPage name="legal" />
    </ConsoleProvider>
  );
  let minute = 1;
  const { rerender } = render(page(minute));
  const update = (): void => {
    minute += 1;
    rerender(page(minute));
  };
  return { calls, announced, update };
}

test("SectionPage shows the commit and the author of a release", () => {
  show(LEGAL, []);
  const [, row] = within(screen.getByRole("table", { name: /^Releases of legal/ })).getAllByRole("row");
  if (!row) throw new Error("there is a release");
  expect(within(row).getByRole("link", { name: "0123456789ab" }).getAttribute("href")).toBe("https://git.example/1");
  expect(row.textContent).toMatch(/by team 0123456789ab Ada/);
});

test("SectionPage shows errors, and problems with their source positions", async () => {
  show(LEGAL, [], { [mapOf("2.0.0", "section")]: SOURCE_MAP });
  const errors = await screen.findByRole("table", { name: /^Errors of legal/ });
  const [, row] = within(errors).getAllByRole("row");
  expect(row?.textContent).toMatch(/^\/terms1\.0\.0TypeError Rendering failed, in the browser3/);
  const log = screen.getByRole("region", { name: "Log" });
  await waitFor(() => {
    expect(log.textContent).toContain("at Terms (src/Terms.tsx:3:8)");
  });
  expect(within(log).getAllByText(/^Trial render|^Changed/)).toHaveLength(1);
});

test("SectionPage says once why there was no render", async () => {
  const error = { ...ERROR, source: "gateway", cause: "circuit_open", class: null };
  show(LEGAL, [], { "/api/v1/sections/legal/errors": { since: AT, errors: [error] } });
  const [, row] = within(await screen.findByRole("table", { name: /^Errors of legal/ })).getAllByRole("row");
  expect(row?.textContent).toMatch(/^\/terms1\.0\.0Rendering is suspended after failures In the gateway3/);
});

test.each([
  [[CHANGE], null, "Deployed"],
  [[], null, "There are no changes yet."],
  [[], 7, "Only older changes can be here."],
])("SectionPage has the section's own changes: %#", async (entries, next, text) => {
  show(LEGAL, [], { "/api/v1/history?limit=5&section=legal": { entries, next } });
  const recent = screen.getByRole("region", { name: "Recent changes" });
  await waitFor(() => {
    expect(recent.textContent).toContain(text);
  });
});

test("SectionPage lists no access for a session that may not change the section", async () => {
  const { calls } = show(LEGAL, ["metrics"]);
  const access = screen.getByRole("region", { name: "Access" });
  await waitFor(() => {
    expect(calls.map(([, path]) => path)).toContain("/api/v1/access");
    expect(access.getAttribute("aria-busy")).toBe("false");
  });
  expect(access.textContent).toBe("AccessOnly those who may change this section see who else may.");
});

test("SectionPage lists the tokens and grants that change a section", async () => {
  show(LEGAL, ["publish"]);
  const [, ...rows] = within(await screen.findByRole("table", { name: /^Tokens and grants/ })).getAllByRole("row");
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^cipublish, deploylegal2020-01-01 00:00 UTC.* expired$/),
    "ID tokens of githubrepository: acme/legalpublishlegalwith each ID token",
    "operatordeployallnever",
  ]);
});

test("SectionPage shows the lines of errors in the sources, or their positions without a source map", async () => {
  const ofGateway = { ...ERROR, source: "gateway", cause: "exception", position: "section:1:9" };
  const ofBrowser = { ...ERROR, position: "client/terms.js:2:345" };
  show(LEGAL, [], {
    "/api/v1/sections/legal/errors": { since: AT, errors: [ofGateway, ofBrowser] },
    [mapOf("1.0.0", "section")]: SOURCE_MAP,
  });
  const errors = await screen.findByRole("region", { name: "Errors" });
  await waitFor(() => {
    expect(errors.textContent).toContain("Rendering failed, in the gatewaysrc/Terms.tsx:3:8return terms.map(show);");
  });
  expect(errors.textContent).toContain("Rendering failed, in the browserclient/terms.js:2:345");
});

test("SectionPage reads a source map again only if that can help", async () => {
  const scripts = ["section", "client/late.js", "client/terms.js", "client/broken.js", "client/index.js"];
  const errors = scripts.map((script) => ({ ...ERROR, position: `${script}:1:9` }));
  let respondLate: (response: Response) => void = () => undefined;
  const late = new Promise<Response>((resolve) => (respondLate = resolve));
  const responses: Record<string, object> = {
    "/api/v1/sections/legal/errors": { since: AT, errors },
    [mapOf("1.0.0", "section")]: new Response("{}", { status: 503 }),
    [mapOf("1.0.0", "client%2Flate.js")]: late,
    [mapOf("1.0.0", "client%2Fterms.js")]: new Response("{}", { status: 404 }),
    [mapOf("1.0.0", "client%2Fbroken.js")]: new Response("{"),
    [mapOf("1.0.0", "client%2Findex.js")]: {
      version: 3,
      sections: [{ offset: { line: 0, column: 0 }, map: SOURCE_MAP }],
    },
  };
  const { calls, update } = show(LEGAL, [], responses);
  const region = await screen.findByRole("region", { name: "Errors" });
  await waitFor(() => {
    expect(region.textContent).toMatch(/section:1:9.*terms\.js:1:9.*broken\.js:1:9.*src\/Terms\.tsx:3:8/);
  });
  responses[mapOf("1.0.0", "section")] = SOURCE_MAP;
  update();
  await waitFor(() => {
    expect(region.textContent).toMatch(/src\/Terms\.tsx:3:8.*late\.js:1:9.*terms\.js:1:9/);
  });
  responses[mapOf("1.0.0", "client%2Flate.js")] = SOURCE_MAP;
  respondLate(new Response("{}", { status: 503 }));
  await vi.waitFor(() => {
    update();
    expect(region.textContent).toMatch(/src\/Terms\.tsx:3:8.*src\/Terms\.tsx:3:8.*terms\.js:1:9.*broken\.js:1:9/);
  });
  const read = calls.flatMap(([, path]) => /1\.0\.0\/source-map\?script=(.*)/.exec(path)?.[1] ?? []);
  const expected = [...scripts, "section", "client/late.js"].map(encodeURIComponent);
  expect(read.toSorted()).toEqual(expected.toSorted());
});

test.each([
  ["nothing without a right", LEGAL, [], []],
  ["a deploy and a rollback", LEGAL, ["deploy", "rollback"], ["Roll back", "Deploy 2.0.0"]],
  ["no rollback without a previous release", { ...LEGAL, previous: null }, ["deploy", "rollback"], ["Deploy 2.0.0"]],
  ["neither during a rollout", { ...LEGAL, candidate: "2.0.0", previous: null }, ["deploy", "rollback"], []],
])("SectionPage offers %s", (_, section, actions, names) => {
  show(section, actions);
  const buttons = screen.queryAllByRole("button", { name: /^(Roll back|Deploy)/ });
  expect(buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent)).toEqual(names);
});

test("a deploy is planned, sent for the planned base, and announced", async () => {
  const { calls, announced } = show(LEGAL, ["deploy"], {
    "/api/v1/deployments/plan": { live: 4, sections: { legal: { from: "1.0.0", to: "2.0.0" } } },
    "/api/v1/deployments": { number: 5, live: false, percent: 5, warnings: ["a page is hidden"] },
  });
  fireEvent.click(screen.getByRole("button", { name: "Deploy 2.0.0" }));
  const dialog = screen.getByRole("dialog", { name: "Deploy legal" });
  const start = (): HTMLButtonElement => within(dialog).getByRole("button", { name: /Deploy for|Start the/ });
  expect(start().disabled).toBe(true);
  fireEvent.click(within(dialog).getByRole("radio", { name: "A rollout by hand" }));
  await waitFor(() => {
    expect(start().disabled).toBe(false);
  });
  expect(dialog.textContent).toContain("legal changes from 1.0.0 to 2.0.0");
  fireEvent.click(start());
  await waitFor(() => {
    expect(announced).toEqual([
      { text: "Deployment 5 is the candidate for 5% of visitors.", warnings: ["a page is hidden"] },
    ]);
  });
  const request = { releases: { legal: "2.0.0" }, percent: 5 };
  const sent = calls.filter(([method]) => method === "POST").slice(-2);
  expect(sent).toEqual([
    ["POST", "/api/v1/deployments/plan", request],
    ["POST", "/api/v1/deployments", { ...request, base: 4 }],
  ]);
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a deploy is sent again with the status changes that its rejection names accepted", async () => {
  const responses: Record<string, object> = {
    "/api/v1/deployments/plan": { live: 4, sections: { legal: { from: "1.0.0", to: "2.0.0" } } },
  };
  const { calls, announced } = show(LEGAL, ["deploy"], responses);
  fireEvent.click(screen.getByRole("button", { name: "Deploy 2.0.0" }));
  const dialog = screen.getByRole("dialog", { name: "Deploy legal" });
  await waitFor(() => {
    expect(dialog.textContent).toContain("legal changes from 1.0.0 to 2.0.0");
  });
  const deploy = (response: Response): void => {
    responses["/api/v1/deployments"] = response;
    fireEvent.click(within(dialog).getByRole("button", { name: "Deploy for everyone" }));
  };
  const rejection = (...problems: readonly string[]): Response =>
    new Response(JSON.stringify({ detail: "it fails", problems }), { status: 422 });
  const name = "Accept the status changes";
  deploy(rejection("/terms fails"));
  await within(dialog).findByText("/terms fails");
  expect(within(dialog).queryByRole("checkbox", { name })).toBeNull();
  deploy(rejection("/a fails", "/b has the status 404; `acceptStatusChanges` accepts this"));
  fireEvent.click(await within(dialog).findByRole("checkbox", { name }));
  expect(
    within(dialog)
      .getAllByRole("listitem")
      .slice(-2)
      .map(({ textContent }) => textContent),
  ).toEqual(["/a fails", "/b has the status 404; acceptStatusChanges accepts this"]);
  deploy(rejection("/c fails"));
  await within(dialog).findByText("/c fails");
  deploy(new Response(JSON.stringify({ number: 5, live: true, warnings: [] })));
  await waitFor(() => {
    expect(announced).toHaveLength(1);
  });
  const request = { releases: { legal: "2.0.0" }, base: 4 };
  const sent = calls.filter(([method, path]) => method === "POST" && path === "/api/v1/deployments");
  expect(sent.map(([, , body]) => body)).toEqual([
    request,
    request,
    { ...request, acceptStatusChanges: true },
    request,
  ]);
});
