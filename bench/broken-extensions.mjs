// Measures documents with four broken extensions against the same documents without them. See bench/README.md.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { deploy, publish } from "@colonnade/cli";

import { build } from "../packages/cli/dist/build/build.js";
import { ROOT } from "../tests/support/repository.mjs";
import { startSite } from "../tests/support/site.mjs";

/** What the extensions do in place of a render. */
const BROKEN = {
  allocates: "for (const list = []; ; ) list.push(new Array(1000).fill(1.5));",
  loops: "for (;;);",
  suspends: "use(new Promise(() => {}));",
  throws: 'throw new Error("broken");',
};

const LATER_REQUESTS = 20;

/** A section that fills the point of city pages. @param {string} name @param {string} code */
const sectionOf = (name, code) => ({
  "package.json": JSON.stringify({ version: "1.0.0", private: true, type: "module" }),
  "section.config.js": `export default { name: "${name}", entry: "./src/section.js" };`,
  "src/section.js": `
import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "${name}", contract: 1, pages: {}, extensions: { "directory/city-aside@1": () => import("./aside") },
});`,
  "src/aside.jsx": `
import { defineExtension } from "@colonnade/kit/extensions";
import { use } from "react";
function Aside() {
  ${code}
  return <p>{typeof use}</p>;
}
export const extension = defineExtension({ data: () => null ?? 1, Component: Aside });`,
});

/** Deploys the broken sections on a gateway that renders nothing, so that no trial render rejects them. @param {import("../tests/support/site.mjs").Site} site */
async function deployBroken({ access }) {
  await mkdir(path.join(ROOT, "target"), { recursive: true });
  // Within the repository, whose node_modules has the packages.
  const folder = await mkdtemp(path.join(ROOT, "target/broken-extensions-"));
  try {
    /** @type {Record<string, string>} */
    const releases = {};
    for (const [name, code] of Object.entries(BROKEN)) {
      const section = path.join(folder, name);
      await mkdir(path.join(section, "src"), { recursive: true });
      for (const [file, text] of Object.entries(sectionOf(name, code))) await writeFile(path.join(section, file), text);
      await build(section, { final: true });
      releases[name] = (await publish(section, access)).version;
    }
    await deploy(releases, undefined, access);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The time of the first request of a document, in milliseconds. @param {string} url */
async function timeOf(url) {
  const start = performance.now();
  const response = await fetch(url);
  const html = await response.text();
  const time = performance.now() - start;
  if (!html.includes("<h1")) throw new Error(`${url} is not rendered; expected a heading`);
  return time;
}

/** The times of the first documents of a gateway that has rendered nothing. @param {import("../tests/support/site.mjs").SiteOptions} options @param {string[]} paths */
async function measureFresh(options, paths) {
  const site = await startSite(options);
  try {
    // Opens the connection.
    await fetch(`${site.url}/robots.txt`).then((response) => response.text());
    const times = [];
    for (const each of paths) times.push(await timeOf(site.url + each));
    return times;
  } finally {
    await site.stop();
  }
}

/** @typedef {{ first: number[], later: number[] }} Times */

/**
 * Measures the first document of a gateway, and later ones, none of which it has rendered before.
 *
 * @param {number} rounds
 * @returns {Promise<Record<"none" | "four", Times>>}
 */
export async function measureBroken(rounds) {
  const broken = pointFor(Object.keys(BROKEN));
  const base = await startSite({ serverRendering: false, config: broken });
  try {
    await deployBroken(base);
    const paths = (await cities()).slice(0, 1 + LATER_REQUESTS);
    const render = { deadline_ms: 10_000 };
    /** @type {Record<"none" | "four", import("../tests/support/site.mjs").SiteOptions>} */
    const variants = {
      none: { base, serverRendering: true, config: { render, ...pointFor([]) } },
      four: { base, serverRendering: true, config: { render, ...broken } },
    };
    const times = { none: timesOf(), four: timesOf() };
    const names = /** @type {(keyof typeof variants)[]} */ (Object.keys(variants));
    for (let round = 0; round <= rounds; round += 1) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const [first = NaN, ...later] = await measureFresh(variants[name], paths);
        if (round === 0) continue;
        times[name].first.push(first);
        times[name].later.push(...later);
      }
    }
    return times;
  } finally {
    await base.stop();
  }
}

/** The sections that the point of city pages shows. @param {string[]} allow */
const pointFor = (allow) => ({ extension_points: { "directory/city-aside": { allow } } });

/** @returns {Times} */
const timesOf = () => ({ first: [], later: [] });

/** The paths of city pages, from those that the gateway warms last. @returns {Promise<string[]>} */
async function cities() {
  const text = await readFile(path.join(ROOT, "mfe-directory/release/release.json"), "utf8");
  /** @type {import("@colonnade/cli").Release} */
  const { pages } = JSON.parse(text);
  return pages
    .flatMap((page) => page.paths.map((listed) => listed.path))
    .filter((each) => each.startsWith("/city/"))
    .toReversed();
}
