// Builds release/ with Vite: a script and a stylesheet for browsers, the server module, and release.json.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { listFiles } from "@colonnade/cli";
import { build } from "vite";

import { createContainer } from "./container.js";

const NAME = "vite";
const RELEASE = path.join(import.meta.dirname, "release");
const SHARED = { "@colonnade/kit": ">=0.1.0", react: "^19.0.0", "react-dom": "^19.0.0" };
const { version } = JSON.parse(await readFile(path.join(import.meta.dirname, "package.json"), "utf8"));
// A global variable of the page, so unique to this release.
const container = `${NAME}_${version.replaceAll(/\W/g, "_")}`;

/**
 * Bundles the section into one script. Returns it, and the text of its stylesheets.
 *
 * @param {"cjs" | "es"} format
 * @param {string[]} external the packages that the script imports
 */
async function bundle(format, external) {
  const [{ output }] = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "warn",
    define: { "process.env.NODE_ENV": '"production"' },
    // The gateway requires the section's name in every selector.
    css: { modules: { generateScopedName: `${NAME}_[local]_[hash:base64:6]` } },
    build: {
      write: false,
      lib: { entry: "src/section.ts", formats: [format] },
      // The shell reads the export `default`.
      rolldownOptions: { external, output: { exports: "named" } },
    },
  });
  const script = output.find(({ type }) => type === "chunk");
  const style = output.find(({ fileName }) => fileName.endsWith(".css"));
  return { script: script.code, style: style.source };
}

/** @param {string} file @param {string} text */
async function write(file, text) {
  const target = path.join(RELEASE, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
}

const packages = Object.keys(SHARED);
const client = await bundle("cjs", packages);
const server = await bundle("es", [...packages, "react/jsx-runtime"]);
const evaluate = `(module, require) => {\nconst { exports } = module;\n${client.script}}`;

await rm(RELEASE, { recursive: true, force: true });
await write("client/entry.js", `var ${container} = (${createContainer})(${JSON.stringify(packages)}, ${evaluate});\n`);
await write("client/style.css", client.style);
await write("server/index.js", server.script);
const release = {
  name: NAME,
  version,
  kind: "section",
  contract: 1,
  entry: "client/entry.js",
  container,
  needsFederationRuntime: false,
  styles: [],
  assets: ["client/style.css"],
  pages: [{ pattern: "/vite/:language", assets: [], paths: [{ path: "/vite/Welsh", indexable: false }] }],
  shared: SHARED,
  modules: { section: "server/index.js" },
  files: await listFiles(RELEASE),
};
await write("release.json", `${JSON.stringify(release, null, 2)}\n`);
