import * as kit from "@colonnade/kit";
import type { SectionContainer } from "@colonnade/kit/shell";
import React from "react";
import type ReactDom from "react-dom";

import { createLazy } from "./lazyParts.js";

declare global {
  /** The installed versions of the shared packages. The build defines this constant. */
  const SHARED_VERSIONS: Readonly<Record<"react" | "react-dom" | "@colonnade/kit", string>>;
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

/**
 * Returns a share scope with the shared packages, each in the version of the shell. That of a section has a `lazy` of its own.
 */
export function createShareScope(section?: SectionContainer): ShareScope {
  const react = section ? { ...React, lazy: createLazy(section) } : React;
  return {
    ...only("react", () => () => react),
    ...only("react-dom", () => reactDom),
    ...only("@colonnade/kit", () => () => kit),
  };
}
