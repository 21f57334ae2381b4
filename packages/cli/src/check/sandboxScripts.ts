import { readFileSync } from "node:fs";
import vm from "node:vm";

import { BUNDLE_NAME } from "./report.js";
import type * as sandbox from "./sandbox/index.js";

/** The global variables that the scripts create. */
export interface SandboxGlobals {
  readonly colonnadeShared: typeof sandbox;
  readonly colonnadeSection: { readonly load: ConstructorParameters<typeof sandbox.SectionCheck>[0] };
}

/** File name in stacks of the script with the shared packages. */
export const SHARED_NAME = "colonnade-shared.js";

/** Compiles the script with the shared packages. */
export function compileShared(file: string): vm.Script {
  return compile(file, SHARED_NAME);
}

/** Compiles the script with the section. */
export function compileBundle(file: string): vm.Script {
  return compile(file, BUNDLE_NAME);
}

/** Runs the compiled scripts in a sandbox. */
export function runScripts(context: vm.Context, shared: vm.Script, bundle: vm.Script): SandboxGlobals {
  shared.runInContext(context);
  bundle.runInContext(context);
  return context as unknown as SandboxGlobals;
}

function compile(file: string, filename: string): vm.Script {
  return new vm.Script(readFileSync(file, "utf8"), { filename });
}
