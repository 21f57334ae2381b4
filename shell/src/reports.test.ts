// @vitest-environment happy-dom
import type { Boot } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { classOf, createReport, isMissingFile, type Report } from "./reports";

const DIRECTORY = { name: "directory", version: "1.1.0" };
const LEGAL = { name: "legal", version: "2.0.0" };

function missingFile(): Error {
  return Object.assign(new Error("Loading chunk 7 failed."), { name: "ChunkLoadError" });
}

describe("the class of an error", () => {
  class Refusal extends Error {}

  test.each<[unknown, string]>([
    [new TypeError("a message"), "TypeError"],
    [new Refusal("a message"), "Refusal"],
    [new DOMException("a message", "AbortError"), "DOMException"],
    [missingFile(), "ChunkLoadError"],
    [Object.assign(new Error("m"), { name: "visitor@example.com" }), "Error"],
    ["https://site.example/private", "String"],
    [{ constructor: { name: "visitor@example.com" } }, "Unknown"],
    [Object.create(null), "Unknown"],
    [undefined, "undefined"],
    [null, "null"],
  ])("%o", (error, name) => {
    expect(classOf(error)).toBe(name);
  });

  test("a name that is no name of a class is not told", () => {
    class Long extends Error {}
    Object.defineProperty(Long, "name", { value: "x".repeat(65) });
    expect(classOf(new Long())).toBe("Unknown");
  });

  test("a missing file is known by the name that webpack gives it", () => {
    expect(isMissingFile(missingFile())).toBe(true);
    expect(isMissingFile(new Error("Loading chunk 7 failed."))).toBe(false);
    expect(isMissingFile("ChunkLoadError")).toBe(false);
  });
});

describe("reports", () => {
  const beacon = vi.fn<(url: string, body: Blob) => boolean>();
  const fetching = vi.fn<typeof fetch>();
  let online = true;

  function reporter(samplePercent: number | null = 100): Report {
    const boot: Boot = { deployment: 13, site: TEST_SITE, page: null, slots: {} };
    return createReport(samplePercent === null ? boot : { ...boot, reports: { samplePercent } });
  }

  async function sent(): Promise<unknown[]> {
    return Promise.all(beacon.mock.calls.map(async ([, body]) => JSON.parse(await body.text()) as unknown));
  }

  beforeEach(() => {
    online = true;
    beacon.mockReset().mockReturnValue(true);
    fetching.mockReset().mockRejectedValue(new TypeError("offline"));
    vi.stubGlobal("fetch", fetching);
    Object.defineProperty(navigator, "sendBeacon", { value: beacon, configurable: true });
    vi.spyOn(navigator, "onLine", "get").mockImplementation(() => online);
  });

  afterEach(() => {
    window.dispatchEvent(new Event("pageshow"));
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  test("name release, phase and class, and nothing else", async () => {
    reporter()(DIRECTORY, "render", new TypeError("visitor@example.com at https://site.example/"));
    expect(beacon.mock.calls[0]?.[0]).toBe("/_report");
    expect(beacon.mock.calls[0]?.[1].type).toBe("application/json");
    expect(await sent()).toEqual([{ deployment: 13, release: "directory@1.1.0", phase: "render", error: "TypeError" }]);
  });

  test("are made once for each section and phase of a document", async () => {
    const report = reporter();
    for (let again = 0; again < 3; again += 1) {
      report(DIRECTORY, "load", new Error());
      report(DIRECTORY, "render", new Error());
      report(LEGAL, "load", new Error());
    }
    expect(
      (await sent()).map((body) =>
        Object.values(body as object)
          .slice(1, 3)
          .join(" "),
      ),
    ).toEqual(["directory@1.1.0 load", "directory@1.1.0 render", "legal@2.0.0 load"]);
  });

  test("are not made unless the gateway wants them", () => {
    reporter(null)(DIRECTORY, "load", new Error());
    expect(beacon).not.toHaveBeenCalled();
  });

  test.each([
    [10, 0.0999, 1],
    [10, 0.1, 0],
    [1, 0, 1],
    [100, 0.9999, 1],
  ])("at %i percent and a draw of %d, there are %i", (percent, draw, count) => {
    vi.spyOn(Math, "random").mockReturnValue(draw);
    reporter(percent)(DIRECTORY, "load", new Error());
    expect(beacon).toHaveBeenCalledTimes(count);
  });

  test("are drawn when something fails, and what was not drawn is not drawn again", () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.9);
    const report = reporter(50);
    expect(random).not.toHaveBeenCalled();
    report(DIRECTORY, "load", new Error());
    random.mockReturnValue(0);
    report(DIRECTORY, "load", new Error());
    expect(beacon).not.toHaveBeenCalled();
  });

  test("are not made of what fails without a connection", () => {
    const report = reporter();
    online = false;
    report(DIRECTORY, "load", new Error());
    expect(beacon).not.toHaveBeenCalled();
    online = true;
    report(DIRECTORY, "load", new Error());
    expect(beacon).toHaveBeenCalledOnce();
  });

  test("are not made while the tab is leaving, unless it comes back", () => {
    const report = reporter();
    window.dispatchEvent(new Event("pagehide"));
    report(DIRECTORY, "load", new Error());
    expect(beacon).not.toHaveBeenCalled();
    window.dispatchEvent(new Event("pageshow"));
    report(DIRECTORY, "load", new Error());
    expect(beacon).toHaveBeenCalledOnce();
  });

  test("go another way where the browser takes no more beacons", () => {
    beacon.mockReturnValue(false);
    reporter()(DIRECTORY, "load", new Error());
    expect(fetching).toHaveBeenCalledWith("/_report", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"deployment":13,"release":"directory@1.1.0","phase":"load","error":"Error"}',
      keepalive: true,
    });
  });

  test("do no harm where they cannot be made", () => {
    beacon.mockImplementation(() => {
      throw new TypeError("no beacons");
    });
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error("not to be read");
        },
      },
    );
    const report = reporter();
    report(DIRECTORY, "load", new Error());
    report(DIRECTORY, "render", hostile);
    expect(fetching).not.toHaveBeenCalled();
  });
});
