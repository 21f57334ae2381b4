// Configures Vitest for a section's tests.
import { parse as parseYaml } from "yaml";

import { constants, loadConfig } from "./build/config.js";
import { markdown } from "./build/markdown.js";

/** A Vite plugin. This package does not depend on Vite, which comes with Vitest. */
export interface SectionPlugin {
  /** Name in messages of Vite. */
  readonly name: string;
  /** The plugin runs before those of Vite. */
  readonly enforce: "pre";
  /** Returns additions to the configuration of Vitest. */
  readonly config?: typeof configure;
  /** Compiles a file that Vite does not support. */
  readonly transform: ReturnType<typeof markdown>["transform"] | typeof transformYaml;
}

/**
 * Returns the Vite plugins that make imports work in a section's tests as in its build: Markdown, MDX, YAML, `paths` of
 * tsconfig.json, the constants of `define`, and CSS modules with the class names of the file. Vite supports the other files.
 * Add the result to `plugins` of the Vitest configuration. Needs Vite 8, which Vitest installs.
 */
export function section(): SectionPlugin[] {
  return [markdown(), { name: "colonnade-section", enforce: "pre", config: configure, transform: transformYaml }];
}

async function configure({ root = process.cwd() }: { readonly root?: string }): Promise<object> {
  const { define = {} } = await loadConfig(root);
  return {
    define: constants(define),
    resolve: {
      tsconfigPaths: true,
      // As in the build, there is one of each, also if a package of the workspace has an installed copy.
      dedupe: ["@colonnade/kit", "react", "react-dom"],
    },
    test: { css: { modules: { classNameStrategy: "non-scoped" } } },
  };
}

function transformYaml(code: string, id: string): { code: string; map: null } | undefined {
  if (!/\.ya?ml$/.test(id)) return undefined;
  return { code: `export default ${JSON.stringify(parseYaml(code))};`, map: null };
}
