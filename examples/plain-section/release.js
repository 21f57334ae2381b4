// Writes release/: the two scripts of the section, and release.json with their digests.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { createContainer } from "./src/container.js";
import { createSection } from "./src/section.js";

const RELEASE = path.join(import.meta.dirname, "release");
const { version } = JSON.parse(await readFile(path.join(import.meta.dirname, "package.json"), "utf8"));
// A global variable of the page, so unique to this release.
const container = `plain_${version.replaceAll(/\W/g, "_")}`;

const scripts = {
  "client/entry.js": `var ${container} = (${createContainer})(${createSection});\n`,
  "server/index.js": [
    'import * as react from "react";',
    'import * as kit from "@colonnade/kit";',
    `export default (${createSection})(react, kit);\n`,
  ].join("\n"),
};

const release = {
  name: "plain",
  version,
  kind: "section",
  contract: 1,
  entry: "client/entry.js",
  container,
  needsFederationRuntime: false,
  styles: [],
  assets: [],
  pages: [{ pattern: "/plain/:language", assets: [], paths: [{ path: "/plain/Welsh", indexable: false }] }],
  extensions: [{ point: "directory/state-aside@1", order: 10, assets: [] }],
  navigation: [{ to: "shell/menu", label: "Welsh", path: "/plain/Welsh", order: 90 }],
  shared: { react: "^19.0.0", "@colonnade/kit": ">=0.1.0" },
  modules: { section: "server/index.js" },
  // Sorted by path.
  files: Object.entries(scripts).map(([file, text]) => ({
    path: file,
    size: Buffer.byteLength(text),
    type: "text/javascript; charset=utf-8",
    digest: `sha384-${createHash("sha384").update(text).digest("base64")}`,
  })),
};

await rm(RELEASE, { recursive: true, force: true });
for (const [file, text] of Object.entries({ ...scripts, "release.json": `${JSON.stringify(release, null, 2)}\n` })) {
  await mkdir(path.dirname(path.join(RELEASE, file)), { recursive: true });
  await writeFile(path.join(RELEASE, file), text);
}
