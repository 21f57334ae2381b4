import { spawnSync } from "node:child_process";
import path from "node:path";

import { parsePage } from "./markdown.js";
import { FILES, read, ROOT } from "./repository.js";

/** Files that a gateway or a section's build writes, or that a section can have. */
const OTHER_FILES = new Set([
  ...["live.json", "store.json", "preview-keys.json", "ticket-keys.json", "release.json"],
  ...["name.css", "name.module.css", "postcss.config.js", "tsconfig.app.json"],
  ...["tailwindcss/theme.css", "tailwindcss/utilities.css", "client/development.tgz"],
  // Files of a remote of Module Federation, and of the release that adopts it.
  ...["mf-manifest.json", "remote.d.ts", "client/remote"],
  // What a section's build writes.
  ...["./section", "client/home.js", "server/index.js"],
  ...["server/maps", "server/maps/client/home.js.map", "server/maps/server/index.js.map"],
  // Settings of package managers.
  ...["pnpm-workspace.yaml", ".yarnrc.yml"],
  // The types of modules that other sections expose.
  ".colonnade/types",
  ".colonnade/build-target.json",
  // Names of modules that a section exposes.
  ...["./PriceTag", "catalog/PriceTag", "./App", "shop/App"],
  // An extension point, and its reference.
  ...["directory/city-aside", "directory/city-aside@1", "shell/search@1"],
  // A module of a package.
  "zod/mini",
  // A dialog.
  ...["signup/join", "news/newsletter"],
]);

/** Names with a slash that are no paths: packages, media types, annotations of Kubernetes. */
const NO_PATH = /^(@|react\/|(text|application|image)\/|[a-z]+\.amazonaws\.com\/)/;

const EXTENSION = /\.(rs|tsx?|m?js|json|jsonl|toml|md|ya?ml|css|html|sh|service|socket|lock|py|svg|cfg|sed)$/;

const folders = new Set(
  FILES.flatMap((file) => {
    const names = file.split("/");
    return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
  }),
);
const paths = [...FILES, ...folders];
const known = new Set(paths);
const roots = new Set(paths.map((file) => file.replace(/\/.*/, "")));
const crates = new Set(paths.flatMap((file) => /^gateway\/crates\/([^/]+)$/.exec(file)?.slice(1) ?? []));

/**
 * Checks a link, and the heading that it leads to.
 *
 * @param {string} page @param {string} target
 */
export function linkProblems(page, target) {
  const [link = "", fragment] = target.split("#");
  if (/^[a-z]+:/.test(link)) return [];
  const file = link === "" ? page : path.join(path.dirname(page), link);
  if (!exists(file)) return [`links to ${target}, which does not exist`];
  if (fragment === undefined || !file.endsWith(".md") || parsePage(read(file)).fragments.has(fragment)) return [];
  return [`links to ${target}, but ${file} has no such heading`];
}

/**
 * Checks a code span that can be a path. It begins at the root, at the folder of the crates, or anywhere: prose names files without
 * the folder that a heading or a sentence before has named.
 *
 * @param {string} page @param {string} span
 */
export function pathProblems(page, span) {
  if (!/^[\w@.*{}<>…-]+(\/[\w@.,*{}<>…-]+)*\/?(::\w+)?$/.test(span) || NO_PATH.test(span)) return [];
  const name = span.replace(/::\w+$/, "").replace(/\/$/, "");
  const [root = "", ...rest] = name.split("/");
  const isPath = rest.length > 0 || EXTENSION.test(name) || (span.endsWith("/") && roots.has(root));
  if (!isPath || OTHER_FILES.has(name)) return [];
  return expandBraces(name)
    .filter((file) => !isNamed(page, file, span.endsWith("/")))
    .map((file) => `names \`${span}\`: ${file} does not exist`);
}

/**
 * @param {string} page @param {string} name @param {boolean} isFolder
 */
function isNamed(page, name, isFolder) {
  const folder = path.dirname(page);
  const [root = "", ...rest] = name.split("/");
  const isInCrate = rest.length > 0 && crates.has(root) && EXTENSION.test(name);
  const places = [path.join(folder, name), name, ...(isInCrate ? [`gateway/crates/${name}`] : [])];
  if (places.some(isTracked)) return true;
  // A path from the root, or from the folder of the crates, is complete.
  if ((rest.length > 0 && roots.has(root)) || isInCrate) return places.some(isIgnored);
  // Folders of the store, of a release and of a section.
  if (rest.length === 0 && isFolder && /^docs(\/|$)/.test(folder)) return true;
  // A placeholder stands for what only exists at run time.
  if (/[<>…]/.test(name)) return true;
  const end = pattern(name);
  return paths.some((file) => end.test(file)) || isIgnored(name);
}

/**
 * Whether a path from the root exists, or is output that Git ignores.
 *
 * @param {string} file
 */
export function exists(file) {
  return isTracked(file) || isIgnored(file);
}

/**
 * @param {string} file
 */
function isTracked(file) {
  if (known.has(file.replace(/\/$/, "")) || file === ".") return true;
  return (
    /[*<>…]/.test(file) && roots.has(file.replace(/\/.*/, "")) && paths.some((other) => pattern(file, "^").test(other))
  );
}

/**
 * The pattern of the paths that end with a name, in which `*`, `…` and `<name>` stand for a part.
 *
 * @param {string} name
 */
function pattern(name, start = name.startsWith(".") ? "" : "(^|/)") {
  const parts = name.split(/(\*\*\/|\*|…|<[^>]*>)/).map((part, index) => {
    if (index % 2 === 0) return part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    return part === "**/" ? "(.*/)?" : "[^/]+";
  });
  return new RegExp(`${start}${parts.join("")}$`);
}

/**
 * @param {string} name @returns {string[]}
 */
function expandBraces(name) {
  const [all, before = "", choices = "", after = ""] = /^(.*?)\{([^}]*)\}(.*)$/.exec(name) ?? [];
  if (all === undefined) return [name];
  return choices.split(",").flatMap((choice) => expandBraces(before + choice + after));
}

/**
 * @param {string} file
 */
function isIgnored(file) {
  if (file.startsWith("..")) return false;
  // A pattern such as `dist/` matches only folders. The exit code is 1 if no pattern matches.
  const { status } = spawnSync("git", ["check-ignore", "--no-index", file, `${file}/`], { cwd: ROOT });
  return status === 0;
}

/**
 * Whether a word of a command is a path from the root that does not exist.
 *
 * @param {string} word
 */
export function isMissingPath(word) {
  const file = word.replace(/^FILE=/, "");
  return /^[\w.*-]+(\/[\w.*-]+)+\/?$/.test(file) && roots.has(file.replace(/\/.*/, "")) && !exists(file);
}
