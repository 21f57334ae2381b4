import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** The package manager of a new section. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn";
  /** Its commands, by the npm command in the template. */
  readonly commands: Readonly<Record<string, string>>;
  /** The fields that it needs in `package.json`. */
  readonly manifest: { readonly packageManager?: string };
  /** The files that it needs: texts by path. */
  readonly files: Readonly<Record<string, string>>;
}

const NPM: PackageManager = { name: "npm", commands: {}, manifest: {}, files: {} };

const SETUP_NODE = "- uses: actions/setup-node@v4";
const COMMAND = new RegExp(`npm (ci|install|run|test)\\b|npx --no colonnade\\b|cache: npm\\b|${SETUP_NODE}`, "g");

function pnpm(version: string): PackageManager {
  return {
    name: "pnpm",
    commands: {
      ...installedByCorepack("pnpm"),
      "npm ci": "pnpm install --frozen-lockfile",
      "npx --no colonnade": "pnpm exec colonnade",
    },
    manifest: { packageManager: `pnpm@${version}` },
    // pnpm does not install a package with an install script unless this file allows or denies the script. @swc/core works
    // without its script.
    files: { "pnpm-workspace.yaml": 'allowBuilds:\n  "@swc/core": false\n' },
  };
}

function yarn(version: string): PackageManager {
  const isClassic = version.startsWith("1.");
  return {
    name: "yarn",
    commands: {
      ...installedByCorepack("yarn"),
      "npm ci": `yarn install ${isClassic ? "--frozen-lockfile" : "--immutable"}`,
      "npx --no colonnade": "yarn colonnade",
    },
    manifest: { packageManager: `yarn@${version}` },
    // Webpack needs its loaders in node_modules, which later versions of Yarn do not create by default.
    files: isClassic ? {} : { ".yarnrc.yml": "nodeLinker: node-modules\n" },
  };
}

function installedByCorepack(name: string): Readonly<Record<string, string>> {
  return {
    "npm install": `${name} install`,
    "npm run": `${name} run`,
    "npm test": `${name} test`,
    "cache: npm": `cache: ${name}`,
    // Corepack must be enabled before setup-node, which runs the package manager to find its cache.
    [SETUP_NODE]: `- run: corepack enable\n      ${SETUP_NODE}`,
  };
}

/**
 * Returns the package manager that runs this process, or npm, for a package that is created in a folder. Package managers set an
 * environment variable.
 */
export function packageManagerOf(
  { npm_config_user_agent: agent = "" }: NodeJS.ProcessEnv,
  folder: string,
): PackageManager {
  const [, name, version = ""] = /^(pnpm|yarn)\/(\d+\.\d+\.\d+)/.exec(agent) ?? [];
  if (name === undefined) return NPM;
  const manager = name === "pnpm" ? pnpm(version) : yarn(version);
  // The root of a workspace has the settings. Those of a package would make it a workspace of its own.
  return isInWorkspace(folder) ? { ...manager, manifest: {}, files: {} } : manager;
}

function isInWorkspace(folder: string): boolean {
  const manifest = path.join(folder, "package.json");
  const isRoot =
    existsSync(path.join(folder, "pnpm-workspace.yaml")) ||
    (existsSync(manifest) && /"workspaces"\s*:/.test(readFileSync(manifest, "utf8")));
  const parent = path.dirname(folder);
  return isRoot || (parent !== folder && isInWorkspace(parent));
}

/** Replaces the npm commands in a text by the commands of a package manager. */
export function commandsFor({ commands }: PackageManager, text: string): string {
  return text.replace(COMMAND, (command) => commands[command] ?? command);
}
