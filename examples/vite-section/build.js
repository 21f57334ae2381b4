// Builds dist/ with Vite: a script and a stylesheet for browsers, and the server module. `colonnade` runs it.
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { build } from "vite";

import { createContainer } from "./container.js";

// Vite reads it. The shell has React's production build.
process.env.NODE_ENV = "production";

const OUTPUT = path.join(import.meta.dirname, "dist");
const SHARED = ["@colonnade/kit", "react", "react-dom"];

/**
 * Bundles the section into one script. Returns it with its source map, and the text of its stylesheets, if it has any.
 *
 * @param {"cjs" | "es"} format
 * @param {string} file the name of the script
 * @param {string[]} external the packages that the script imports
 */
async function bundle(format, file, external) {
  const [{ output }] = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "warn",
    define: { "process.env.NODE_ENV": '"production"' },
    // The gateway requires the section's name in every selector.
    css: { modules: { generateScopedName: "vite_[local]_[hash:base64:6]" } },
    build: {
      write: false,
      // `colonnade` locates errors in the sources. It publishes no source maps.
      sourcemap: true,
      outDir: "dist/server",
      lib: { entry: "src/section.ts", formats: [format], fileName: () => file },
      // The shell reads the export `default`, and the container has one script, also with import().
      rolldownOptions: { external, output: { exports: "named", codeSplitting: false } },
    },
  });
  const script = output.find(({ type }) => type === "chunk");
  const style = output.find(({ fileName }) => fileName.endsWith(".css"));
  return { script: script.code, map: script.map, style: style?.source };
}

/** @param {string} file @param {string} text */
async function write(file, text) {
  const target = path.join(OUTPUT, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
}

// `colonnade` passes the global variable, which is unique to the release.
const container = process.env.COLONNADE_CONTAINER;
const client = await bundle("cjs", "entry.js", SHARED);
const server = await bundle("es", "index.js", [...SHARED, "react/jsx-runtime"]);
const start = `var ${container} = (${createContainer})(${JSON.stringify(SHARED)}, (module, require) => {\nconst { exports } = module;\n`;
const lines = ";".repeat(start.split("\n").length - 1);

await rm(OUTPUT, { recursive: true, force: true });
await write("client/entry.js", `${start}${client.script}\n});\n`);
await write("client/entry.js.map", JSON.stringify({ ...client.map, mappings: `${lines}${client.map.mappings}` }));
if (client.style) await write("client/style.css", client.style);
await write("server/index.js", server.script);
await write("server/index.js.map", JSON.stringify(server.map));
const assets = client.style ? ["client/style.css"] : [];
await write("release.json", JSON.stringify({ entry: "client/entry.js", assets }));
