/** The package manager of a new section. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn";
  /** What it runs instead of the commands of npm in the template. */
  readonly commands: Readonly<Record<string, string>>;
  /** Fields of `package.json` that it needs. */
  readonly manifest: { readonly packageManager?: string };
  /** Texts of the files that it needs, by path. */
  readonly files: Readonly<Record<string, string>>;
}

const NPM: PackageManager = { name: "npm", commands: {}, manifest: {}, files: {} };

const SETUP_NODE = "- uses: actions/setup-node@v4";
const COMMAND = new RegExp(`npm (ci|install|run|test)\\b|npx section\\b|cache: npm\\b|${SETUP_NODE}`, "g");

function pnpm(version: string): PackageManager {
  return {
    name: "pnpm",
    commands: {
      ...installedByCorepack("pnpm"),
      "npm ci": "pnpm install --frozen-lockfile",
      "npx section": "pnpm exec section",
    },
    manifest: { packageManager: `pnpm@${version}` },
    // pnpm fails to install a package with a script unless this file decides about it. This one works without its script.
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
      "npx section": "yarn section",
    },
    manifest: { packageManager: `yarn@${version}` },
    // Webpack's loaders are files below node_modules, which later versions do not create by default.
    files: isClassic ? {} : { ".yarnrc.yml": "nodeLinker: node-modules\n" },
  };
}

function installedByCorepack(name: string): Readonly<Record<string, string>> {
  return {
    "npm install": `${name} install`,
    "npm run": `${name} run`,
    "npm test": `${name} test`,
    "cache: npm": `cache: ${name}`,
    // Before the step that caches the packages, which runs the package manager.
    [SETUP_NODE]: `- run: corepack enable\n      ${SETUP_NODE}`,
  };
}

/** Returns the package manager that runs this process, or npm. Package managers set a variable for it. */
export function packageManagerOf({ npm_config_user_agent: agent = "" }: NodeJS.ProcessEnv): PackageManager {
  const [, name, version = ""] = /^(pnpm|yarn)\/(\d+\.\d+\.\d+)/.exec(agent) ?? [];
  if (name === undefined) return NPM;
  return name === "pnpm" ? pnpm(version) : yarn(version);
}

/** Replaces the commands of npm in a text by those of a package manager. */
export function commandsFor({ commands }: PackageManager, text: string): string {
  return text.replace(COMMAND, (command) => commands[command] ?? command);
}
