import { EventEmitter, once } from "node:events";

import { expect, test } from "vitest";

import { helloSection, writeFiles } from "../../fixtures/temporary.js";
import { adoptedBuilds } from "./adoptedBuilds.js";
import type { SectionBuilds } from "./builds.js";

const MANIFEST = JSON.stringify({
  name: "helloShop",
  metaData: {
    remoteEntry: { name: "remoteEntry.js", path: "", type: "global" },
    globalName: "helloShop",
    publicPath: "auto",
  },
  shared: [],
  remotes: [],
  exposes: [{ path: "./App" }],
});

test("a change of an adopted remote starts the builds again", async () => {
  const folder = await helloSection({
    "section.config.js":
      'export default { name: "hello", entry: "./src/section.ts", build: { remote: "dist", command: "exit 1" } };',
    "dist/mf-manifest.json": MANIFEST,
    "dist/remoteEntry.js": "var helloShop = {};",
  });
  const events = new EventEmitter();
  const hashes = ["first", ""];
  const open = new Set<SectionBuilds>();
  const start = (): SectionBuilds => {
    const hash = hashes.shift() ?? "";
    const builds: SectionBuilds = {
      latest: { client: hash, server: hash, names: [] },
      problems: () => [],
      idle: () => Promise.resolve(),
      close: () => Promise.resolve(open.delete(builds)),
    };
    open.add(builds);
    events.emit("start");
    return builds;
  };
  const adopted = adoptedBuilds(folder, "dist", start, () => events.emit("build"));
  await adopted.idle();
  expect([adopted.problems(), adopted.latest.client]).toEqual([[], "first"]);

  const failed = once(events, "build");
  await writeFiles(folder, { "dist/mf-manifest.json": "{" });
  await failed;
  expect(adopted.problems()).toEqual([
    { kind: "build", message: expect.stringContaining("mf-manifest.json") as string },
  ]);
  const started = once(events, "start");
  await writeFiles(folder, {
    "dist/mf-manifest.json": MANIFEST,
    "dist/remoteEntry.js": "var helloShop = { changed: true };",
  });
  await started;
  await adopted.idle();
  expect([adopted.problems(), adopted.latest.client, open.size]).toEqual([[], "first", 1]);
  await adopted.close();
  expect(open.size).toBe(0);
});
