import * as kit from "@colonnade/kit";
import type { SectionContainer } from "@colonnade/kit/shell";
import React from "react";
import type ReactDom from "react-dom";

import { createLazy } from "./lazyParts.js";
import type { Factory } from "./loadPackage.js";

declare global {
  /** The installed versions of the shared packages. The build defines this constant. */
  const SHARED_VERSIONS: Readonly<Record<"react" | "react-dom" | "@colonnade/kit", string>> &
    Partial<Readonly<Record<string, string>>>;
  /** Whether the shell shares packages that only some pages load. The build defines this constant. */
  const HAS_SHARED_PACKAGES: boolean;
}

/** A version of a shared package. */
interface SharedVersion {
  readonly get: () => Factory | Promise<Factory>;
}

/** The share scope of Module Federation: the versions of each shared package. */
export type ShareScope = Readonly<Record<string, Readonly<Record<string, SharedVersion>>>>;

let resolveReactDom: (factory: Factory) => void;
const reactDom = new Promise<Factory>((resolve) => {
  resolveReactDom = resolve;
});

/** Provides React DOM, whose script runs after sections begin to load. */
export function provideReactDom(module: typeof ReactDom): void {
  resolveReactDom(() => module);
}

const packages: Record<string, ShareScope[string]> = {};

/** Adds a package that only some pages load to each share scope that is created later. */
export function addPackage(name: string, get: SharedVersion["get"]): void {
  packages[name] = { [SHARED_VERSIONS[name] ?? ""]: { get } };
}

/**
 * Returns a share scope with the shared packages, each in the version of the shell. That of a section has a `lazy` of its own.
 *
 * @param getParser Returns the parser of HTML.
 */
export function createShareScope(getParser: SharedVersion["get"], section?: SectionContainer): ShareScope {
  const react = section ? { ...React, lazy: createLazy(section) } : React;
  // The build inlines each version.
  return {
    react: { [SHARED_VERSIONS.react]: { get: () => () => react } },
    "react-dom": { [SHARED_VERSIONS["react-dom"]]: { get: () => reactDom } },
    "@colonnade/kit": { [SHARED_VERSIONS["@colonnade/kit"]]: { get: () => () => kit } },
    "@colonnade/kit/html/parser": { [SHARED_VERSIONS["@colonnade/kit"]]: { get: getParser } },
    ...(HAS_SHARED_PACKAGES && packages),
  };
}
