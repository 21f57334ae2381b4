// Tests the admin API against its OpenAPI description with Schemathesis. SOAK=1 runs all phases; otherwise only the coverage
// phase runs. Without Python 3.11 or pip, prints a warning and succeeds.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { deployPackages } from "../support/deploy-packages.mjs";
import { PACKAGES, ROOT } from "../support/repository.mjs";
import { startSite } from "../support/site.mjs";

const SEED = 20_261_123;
const IS_SOAK = Boolean(process.env["SOAK"]);
const MAX_EXAMPLES = 500;

const REQUIREMENTS = path.join(import.meta.dirname, "requirements.txt");

/** @param {string} reason @returns {never} */
function skip(reason) {
  console.warn(`ADMIN API NOT TESTED AGAINST ITS DESCRIPTION: ${reason}.`);
  process.exit(0);
}

/** Installs Schemathesis below `target/`, once for each version of the requirements. Returns the path of its command. */
async function install() {
  const version = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 12);
  const folder = path.join(ROOT, "target", `schemathesis-${version}`);
  const command = path.join(folder, "bin/schemathesis");
  if (existsSync(command)) return command;
  const supported = spawnSync("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"]);
  if (supported.status !== 0) skip("Python 3.11 with venv is not installed");
  const options = [
    ...["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes"],
    // Python compiles the modules that it imports.
    "--no-compile",
  ];
  const created = spawnSync("python3", ["-m", "venv", folder], { stdio: "inherit" });
  const pip = path.join(folder, "bin/pip");
  const installed = spawnSync(pip, ["install", ...options, "--requirement", REQUIREMENTS], { encoding: "utf8" });
  if (created.status === 0 && installed.status === 0) return command;
  await rm(folder, { recursive: true, force: true });
  return skip(`Schemathesis cannot be installed (${(installed.stderr || "python3 -m venv failed").trim()})`);
}

const command = await install();
const empty = await mkdtemp(path.join(os.tmpdir(), "colonnade-empty-"));
const site = await startSite({ base: { store: empty }, config: { render: { enabled: false } } });
await rm(empty, { recursive: true });
// The shell and one section are enough, and cost a quarter of publishing all.
await deployPackages(
  site.access,
  PACKAGES.filter((folder) => /shell|legal/.test(folder)),
);
const phases = IS_SOAK
  ? ["--phases", "coverage,fuzzing,stateful", "--max-examples", String(MAX_EXAMPLES)]
  : ["--phases", "coverage"];
const env = { ...process.env, SCHEMATHESIS_HOOKS: path.join(import.meta.dirname, "hooks.py") };
const child = spawn(
  command,
  [
    ...["--config-file", path.join(import.meta.dirname, "schemathesis.toml")],
    ...["run", `${site.access.url}/api/v1/openapi.json`],
    ...["--header", `Authorization: Bearer ${site.access.token}`, "--header", "Connection: close"],
    ...["--seed", String(SEED), "--generation-database", "none", "--continue-on-failure", "--no-color"],
    ...phases,
  ],
  // It writes its cache to the working directory.
  { cwd: path.dirname(command), env, stdio: "inherit" },
);
const [code] = await once(child, "exit");
await site.stop();
process.exitCode = code ?? 1;
