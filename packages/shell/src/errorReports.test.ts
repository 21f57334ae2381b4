// @vitest-environment happy-dom
import type { Boot } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createErrorReporter, type ReportError } from "./errorReports.js";

let hasMoved = false;
vi.mock("./movedNodes.js", () => ({ hasMovedNodes: () => hasMoved }));

const DIRECTORY = { section: { name: "directory", version: "1.1.0" }, pattern: "/state/:state" };
const LEGAL = { section: { name: "legal", version: "2.0.0" } };

describe("error reporter", () => {
  const beacon = vi.fn<(url: string, body: Blob) => boolean>();
  let online = true;

  function reporter(samplePercent: number | null = 100): ReportError {
    const boot: Boot = { deployment: "13", site: TEST_SITE, configs: {}, page: null };
    return createErrorReporter(samplePercent === null ? boot : { ...boot, reports: { samplePercent } });
  }

  async function sent(): Promise<unknown[]> {
    return Promise.all(beacon.mock.calls.map(async ([, body]) => JSON.parse(await body.text()) as unknown));
  }

  beforeEach(() => {
    online = true;
    hasMoved = false;
    beacon.mockReset().mockReturnValue(true);
    Object.defineProperty(navigator, "sendBeacon", { value: beacon, configurable: true });
    vi.spyOn(navigator, "onLine", "get").mockImplementation(() => online);
  });

  afterEach(() => {
    window.dispatchEvent(new Event("pageshow"));
    vi.restoreAllMocks();
  });

  test("a report has only deployment, release, phase, class and page", async () => {
    reporter()(DIRECTORY, "render", new TypeError("visitor@example.com at https://site.example/"));
    expect(beacon.mock.calls[0]?.[0]).toBe("/_report");
    expect(beacon.mock.calls[0]?.[1].type).toBe("application/json");
    expect(await sent()).toEqual([
      { deployment: "13", release: "directory@1.1.0", phase: "render", error: "TypeError", page: "/state/:state" },
    ]);
  });

  // The frame of the shell, the message, and the page are not in the release.
  const SHELL = "https://site.example/assets/shell/3.0.0/main.js:1:10";
  const OTHER = "https://site.example/assets/directory/1.1.0-dev.1/state.js:1:10";
  const FRAME = "https://site.example/assets/directory/1.1.0/pages/state.0a1b2c3d.js:2:345";
  const CALLER = "https://site.example/assets/directory/1.1.0/entry.js:1:9";
  const MESSAGE = "ann@site.example of https://site.example/assets/directory/1.1.0/state.js";

  test.each([
    ["Chrome", `TypeError: ${MESSAGE}\n    at call (${SHELL})\n    at Page (${FRAME})\n    at ${CALLER}`],
    ["Firefox", `call@${SHELL}\nload@${OTHER}\nPage@${FRAME}\n@${CALLER}\n`],
    ["Safari", `call@${SHELL}\n[native code]\nPage@${FRAME}\nasync*@${CALLER}`],
  ])("the position is the first frame in the release, in %s", async (_, stack) => {
    reporter()(DIRECTORY, "render", Object.assign(new TypeError(MESSAGE), { stack }));
    expect(await sent()).toMatchObject([{ position: "pages/state.0a1b2c3d.js:2:345" }]);
  });

  test("the version of the release may have build metadata", async () => {
    const stack = "Page@https://site.example/assets/legal/2.0.0+7/main.js:1:5";
    reporter()({ section: { name: "legal", version: "2.0.0+7" } }, "load", Object.assign(new Error(), { stack }));
    expect(await sent()).toMatchObject([{ position: "main.js:1:5" }]);
  });

  test.each([
    ["frame in the release", Object.assign(new Error(), { stack: `Page@${SHELL}\n@https://site.example/terms:1:2` })],
    ["stack of text", Object.assign(new Error(), { stack: 1 })],
    ["error", null],
  ])("a report without a %s has no position", async (_, error) => {
    reporter()(DIRECTORY, "render", error);
    expect(await sent()).toEqual([expect.not.objectContaining({ position: expect.anything() as unknown })]);
  });

  test("a report about an extension has its point and no page", async () => {
    reporter()({ ...LEGAL, extensionPoint: "directory/aside@1" }, "render", new Error());
    expect(await sent()).toEqual([
      {
        deployment: "13",
        release: "legal@2.0.0",
        phase: "render",
        error: "Error",
        extensionPoint: "directory/aside@1",
      },
    ]);
  });

  test("a report about another part of a section has no page", async () => {
    reporter()(LEGAL, "load", new Error());
    expect(await sent()).toEqual([{ deployment: "13", release: "legal@2.0.0", phase: "load", error: "Error" }]);
  });

  test("each section, extension and phase is reported once per document", async () => {
    const report = reporter();
    for (let again = 0; again < 3; again += 1) {
      report(DIRECTORY, "load", new Error());
      report(DIRECTORY, "render", new Error());
      report({ ...LEGAL, extensionPoint: "directory/aside@1" }, "load", new Error());
      report({ ...LEGAL, extensionPoint: "directory/top@1" }, "load", new Error());
      report(LEGAL, "load", new Error());
    }
    const reported = (await sent()) as { release: string; phase: string; extensionPoint?: string }[];
    expect(reported.map(({ release, phase, extensionPoint = "" }) => `${release} ${phase} ${extensionPoint}`)).toEqual([
      "directory@1.1.0 load ",
      "directory@1.1.0 render ",
      "legal@2.0.0 load directory/aside@1",
      "legal@2.0.0 load directory/top@1",
      "legal@2.0.0 load ",
    ]);
  });

  test("nothing is reported unless the boot payload enables reports", () => {
    reporter(null)(DIRECTORY, "load", new Error());
    expect(beacon).not.toHaveBeenCalled();
  });

  test.each([
    [10, 0.0999, 1],
    [10, 0.1, 0],
    [1, 0, 1],
    [100, 0.9999, 1],
  ])("sample rate %i percent and random value %d send %i reports", (percent, value, count) => {
    vi.spyOn(Math, "random").mockReturnValue(value);
    reporter(percent)(DIRECTORY, "load", new Error());
    expect(beacon).toHaveBeenCalledTimes(count);
  });

  test("the first error is sampled, and stays unreported if not", () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.9);
    const report = reporter(50);
    expect(random).not.toHaveBeenCalled();
    report(DIRECTORY, "load", new Error());
    random.mockReturnValue(0);
    report(DIRECTORY, "load", new Error());
    expect(beacon).not.toHaveBeenCalled();
  });

  test("errors are not reported while offline", () => {
    const report = reporter();
    online = false;
    report(DIRECTORY, "load", new Error());
    expect(beacon).not.toHaveBeenCalled();
    online = true;
    report(DIRECTORY, "load", new Error());
    expect(beacon).toHaveBeenCalledOnce();
  });

  test("errors are not reported after pagehide, until pageshow", () => {
    const report = reporter();
    window.dispatchEvent(new Event("pagehide"));
    report(DIRECTORY, "load", new Error());
    expect(beacon).not.toHaveBeenCalled();
    window.dispatchEvent(new Event("pageshow"));
    report(DIRECTORY, "load", new Error());
    expect(beacon).toHaveBeenCalledOnce();
  });

  test("errors about the DOM are not reported once an extension has moved nodes, and others are", async () => {
    const report = reporter();
    hasMoved = true;
    report(DIRECTORY, "render", new DOMException("The node is not a child.", "NotFoundError"));
    report(DIRECTORY, "render", new DOMException("The node contains the parent.", "HierarchyRequestError"));
    report(DIRECTORY, "render", new TypeError("a fault of the section"));
    report(LEGAL, "render", new DOMException("The storage is full.", "QuotaExceededError"));
    report(LEGAL, "load", new Error());
    expect((await sent()).map((body) => (body as { readonly error: string }).error)).toEqual([
      "TypeError",
      "QuotaExceededError",
      "Error",
    ]);
  });

  test("the reporter never throws", () => {
    beacon.mockImplementation(() => {
      throw new TypeError("beacons are disabled");
    });
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error("unreadable");
        },
      },
    );
    const report = reporter();
    report(DIRECTORY, "load", new Error());
    report(DIRECTORY, "render", hostile);
    expect(beacon).toHaveBeenCalledOnce();
  });
});
