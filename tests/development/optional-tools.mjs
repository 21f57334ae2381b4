// Tools that tests run if they are installed. With the name of a tool, prints its path: an installed one, otherwise that of
// Debian's package, unpacked below `target/`. Without a name, prints what was not tested, and how to install what it needs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";

import { ROOT } from "../support/repository.mjs";

const TIMEOUT = 60_000;

/** @param {string} command @param {string[]} args */
const runs = (command, ...args) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

/** @param {string} command */
const isInstalled = (command) => spawnSync(command, ["--help"], { stdio: "ignore" }).error === undefined;

/** @param {string} tool @param {string} debianPackage */
function unpackedPath(tool, debianPackage) {
  const folders = ["usr/bin", "usr/sbin"].map((folder) => path.join(ROOT, "target", debianPackage, folder, tool));
  return folders.find((file) => existsSync(file));
}

/**
 * @typedef {object} OptionalTool
 * @property {string} tests what is not tested without it
 * @property {string} install
 * @property {string} [unpack] Debian's package, which `make test` unpacks itself where it can
 * @property {() => boolean} [isUsable] default: whether the command is installed
 */

/** @type {Readonly<Record<string, OptionalTool>>} */
const TOOLS = {
  promtool: { tests: "alert rules", install: "apt-get install prometheus", unpack: "prometheus" },
  prometheus: {
    tests: "queries of rollouts with Prometheus itself",
    install: "apt-get install prometheus",
    unpack: "prometheus",
  },
  pebble: { tests: "certificates by ACME", install: "apt-get install pebble", unpack: "pebble" },
  haproxy: { tests: "several gateways behind HAProxy", install: "apt-get install haproxy" },
  kubectl: { tests: "Kubernetes manifests", install: "apt-get install kubectl" },
  buildah: { tests: "the container image", install: "apt-get install buildah runc", isUsable: canRunContainers },
  "cargo-deny": {
    tests: "licenses, duplicate crates and advisories",
    install: "cargo install --locked cargo-deny",
    isUsable: () => runs("cargo", "deny", "--version"),
  },
  python3: {
    tests: "the admin API against its description, manifests and Dockerfile by their linters",
    install: "apt-get install python3-venv python3-pip (Python 3.11)",
    isUsable: () =>
      runs("python3", "-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))") &&
      runs("python3", "-m", "pip", "--version"),
  },
};

function canRunContainers() {
  return process.getuid?.() === 0 && isInstalled("buildah") && isInstalled("runc");
}

/** @param {string} debianPackage */
function unpack(debianPackage) {
  const folder = path.join(ROOT, "target", debianPackage);
  /** @param {string} command @param {string[]} args */
  const run = (command, ...args) =>
    spawnSync(command, args, { cwd: folder, stdio: "ignore", timeout: TIMEOUT }).status === 0;
  mkdirSync(folder, { recursive: true });
  if (!run("apt-get", "download", debianPackage)) return;
  const file = readdirSync(folder).find((name) => name.endsWith(".deb"));
  if (file !== undefined) run("dpkg-deb", "--extract", file, ".");
}

/** @param {string} tool */
function pathOf(tool) {
  const { unpack: debianPackage } = TOOLS[tool] ?? {};
  if (isInstalled(tool)) return tool;
  if (debianPackage === undefined) return "";
  if (unpackedPath(tool, debianPackage) === undefined) unpack(debianPackage);
  return unpackedPath(tool, debianPackage) ?? "";
}

/** @param {[string, OptionalTool]} entry */
function isMissing([tool, { unpack: debianPackage, isUsable = () => isInstalled(tool) }]) {
  return !isUsable() && (debianPackage === undefined || unpackedPath(tool, debianPackage) === undefined);
}

const [name] = process.argv.slice(2);
if (name === undefined) {
  const missing = Object.entries(TOOLS).filter(isMissing);
  if (missing.length > 0) console.log("\nNot tested, because an optional tool is missing or not usable by this user:");
  for (const [tool, { tests, install }] of missing) console.log(`  ${tests}: ${tool} (${install})`);
} else console.log(pathOf(name));
