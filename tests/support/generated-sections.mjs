// Shells that share packages, and sections that use them, as files.

/** @param {object} dependencies */
const manifest = (dependencies) => JSON.stringify({ version: "1.0.0", private: true, type: "module", dependencies });

/**
 * Returns the files of a shell with plain parts.
 *
 * @param {readonly unknown[]} shared its packages, as in its configuration
 */
export const sharingShell = (shared) => ({
  "package.json": manifest({}),
  "section.config.js": `export default ${JSON.stringify({ name: "shell", kind: "shell", entry: "./src/shell.tsx", shared })};`,
  "src/shell.tsx": `
import { createShell } from "@colonnade/shell";
import { plain } from "@colonnade/shell/plain";
export default createShell(plain);`,
});

/**
 * Returns the files of a section with the pages `/<name>`, which uses the packages, and `/<name>/about`, which does not.
 *
 * @param {string} name
 * @param {object} dependencies the ranges of the packages
 * @param {string} page the code of the first page
 * @param {object} [config] the configuration besides the name and the entry
 */
export const sharingSection = (name, dependencies, page, config) => ({
  "package.json": manifest(dependencies),
  "section.config.js": `export default ${JSON.stringify({ name, entry: "./src/section.ts", ...config })};`,
  "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "${name}",
  contract: 1,
  pages: { "/${name}": () => import("./page"), "/${name}/about": () => import("./about") },
});`,
  "src/about.tsx": `
import { definePage, Link } from "@colonnade/kit";
export const page = definePage({
  data: () => null,
  head: () => ({ title: "About", description: "About ${name}", canonical: "/${name}/about" }),
  Component: () => <><h1>About ${name}</h1><Link to="/${name}">Order</Link></>,
});`,
  "src/page.tsx": page,
});
