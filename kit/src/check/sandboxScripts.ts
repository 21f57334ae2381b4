import { readFileSync } from "node:fs";
import vm from "node:vm";

import { BUNDLE_NAME } from "./report.js";
import type { createSteps } from "./sandbox/index.js";

/** The paths of the scripts that run in a sandbox. */
export interface SandboxScripts {
  /** Path of the script with the shared packages and the steps of the check. */
  readonly shared: string;
  /** Path of the script with the section. */
  readonly bundle: string;
}

/** The global variables that the scripts create. */
export interface SandboxGlobals {
  readonly colonnadeShared: { readonly createSteps: typeof createSteps };
  readonly colonnadeSection: { readonly load: Parameters<typeof createSteps>[0] };
}

/** Compiles the scripts. Returns a function that runs them in a sandbox. */
export function compileScripts({ shared, bundle }: SandboxScripts): (context: vm.Context) => SandboxGlobals {
  const scripts = [compile(shared, "colonnade-shared.js"), compile(bundle, BUNDLE_NAME)];
  return (context) => {
    for (const script of scripts) script.runInContext(context);
    return context as unknown as SandboxGlobals;
  };
}

function compile(file: string, filename: string): vm.Script {
  return new vm.Script(readFileSync(file, "utf8"), { filename });
}
