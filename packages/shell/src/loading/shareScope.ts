import * as kit from "@colonnade/kit";
import type { SectionContainer } from "@colonnade/kit/shell";
import React from "react";
import type ReactDom from "react-dom";

import { isChunkLoadError } from "../errorClass.js";
import { createLazy, refetch } from "./lazyParts.js";
import { loadWithRetries } from "./retries.js";

declare global {
  /** The installed versions of the shared packages. The build defines this constant. */
  const SHARED_VERSIONS: Readonly<Record<"react" | "react-dom" | "@colonnade/kit", string>>;
  /** Whether the shell shares packages that only some pages load. The build defines this constant. */
  const HAS_SHARED_PACKAGES: boolean;
}

type Factory = () => unknown;

/** A version of a shared package. `from` names the provider in warnings. */
interface SharedVersion {
  readonly get: () => Factory | Promise<Factory>;
  readonly from: string;
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

function only(name: keyof typeof SHARED_VERSIONS, get: SharedVersion["get"]): ShareScope {
  return { [name]: { [SHARED_VERSIONS[name]]: { get, from: "shell" } } };
}

type LoadPackage = () => Promise<object>;

const packages: Record<string, LoadPackage> = {};

/** Shares a package that only some pages load. `load` imports it. */
export function share(name: string, load: LoadPackage): void {
  packages[name] = load;
}

/**
 * Loads a shared package, with retries until it succeeds: webpack would not ask for it again.
 *
 * @returns What `require` returns. Only the namespace that webpack makes of a CommonJS module has no prototype.
 */
async function loadPackage(load: LoadPackage): Promise<Factory> {
  const module = await loadWithRetries(load, async (error) => {
    if (!isChunkLoadError(error)) throw error;
    await refetch(error);
  });
  return () => (Object.getPrototypeOf(module) ? module : (module as { readonly default: unknown }).default);
}

function sitePackages(): ShareScope {
  // The build adds their versions to those of every shell.
  const entries = Object.entries(packages) as [keyof typeof SHARED_VERSIONS, LoadPackage][];
  return Object.assign({}, ...entries.map(([name, load]) => only(name, () => loadPackage(load)))) as ShareScope;
}

/**
 * Returns a share scope with the shared packages, each in the version of the shell. That of a section has a `lazy` of its own.
 */
export function createShareScope(section?: SectionContainer): ShareScope {
  const react = section ? { ...React, lazy: createLazy(section) } : React;
  return {
    ...only("react", () => () => react),
    ...only("react-dom", () => reactDom),
    ...only("@colonnade/kit", () => () => kit),
    ...(HAS_SHARED_PACKAGES && sitePackages()),
  };
}
