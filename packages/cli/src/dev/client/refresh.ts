// Part of a section's development build: connects the components of its modules to React Refresh.
import type * as Runtime from "react-refresh/runtime";

/** The part of webpack's hot module API that components need. */
interface HotModule {
  readonly data?: { readonly boundary?: string };
  accept(): void;
  dispose(callback: (data: { boundary?: string }) => void): void;
  invalidate(): void;
}

// The shell's development variant sets this global variable.
const { colonnadeRefresh: runtime } = globalThis as unknown as { readonly colonnadeRefresh: typeof Runtime };

/** Gives a component the identity that it keeps when its module changes. */
export function register(type: unknown, id: string): void {
  runtime.register(type, id);
}

/** Creates the function that tells React which hooks a component calls. If they change, its state is lost. */
export function createSignature(): unknown {
  return runtime.createSignatureFunctionForTransform();
}

/** Returns the component of a page or extension. The other functions of a page run on the server. */
function componentOf(value: unknown): unknown {
  const { Component } = (typeof value === "object" && value !== null ? value : {}) as { Component?: unknown };
  return typeof Component === "function" ? Component : undefined;
}

/**
 * Registers the components that a module exports. A module that exports only components is a boundary: its changes apply
 * without a reload.
 */
export function acceptComponents(hot: HotModule | undefined, id: string, exports: object): void {
  // webpack defines some exports after the module's code.
  queueMicrotask(() => {
    acceptExports(hot, id, exports);
  });
}

function acceptExports(hot: HotModule | undefined, id: string, exports: object): void {
  const names = Object.keys(exports);
  const components = names.map((name) => {
    const value = (exports as Record<string, unknown>)[name];
    const component = componentOf(value) ?? (runtime.isLikelyComponentType(value) ? value : undefined);
    if (component !== undefined) register(component, `${id} ${name}`);
    return component;
  });
  if (!hot) return;
  const isBoundary = names.length > 0 && components.every((component) => component !== undefined);
  const boundary = names.join();
  const earlierBoundary = hot.data?.boundary;
  if (isBoundary) {
    hot.accept();
    hot.dispose((data) => {
      data.boundary = boundary;
    });
  }
  // The modules that import this one may use other exports now.
  if (earlierBoundary !== undefined && !(isBoundary && earlierBoundary === boundary)) hot.invalidate();
}
