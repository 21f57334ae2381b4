import type { ResolvedExtension, ShellServices } from "@colonnade/kit/shell";

/** The place of an extension point. */
export interface PlaceOfExtensions {
  readonly extensions: readonly ResolvedExtension[];
  /** Whether the view around it comes with the document. */
  readonly isServerRendered: boolean;
  readonly element: HTMLElement;
  /** The point's ID with its version. */
  readonly reference: string;
  /** What the extensions get in the first render. */
  readonly props: object;
  readonly services: ShellServices;
}

/** The extensions in the place of a point. */
export interface ShownExtensions {
  /**
   * Passes them other props, or equal ones: a page may create them anew with each render. Once the view is no longer the server's, those
   * that it lacks get another attempt.
   */
  update(props: object, isServerRendered: boolean): void;
  /** Removes them, after the current render, if their place is gone. */
  leave(): void;
}

// Their code is no part of the first view, which does not wait for it.
let code: typeof import("./extensionRoots.js") | undefined;

/** Shows the extensions of a point in its place. At once, if their code is there. */
export function showExtensions(place: PlaceOfExtensions): ShownExtensions {
  if (code) return code.showExtensions(place);
  const loading = import("./extensionRoots.js").then((loaded) => {
    code = loaded;
    return loaded.showExtensions(place);
  });
  loading.catch((error: unknown) => {
    console.warn("[shell] the extensions are not shown:", error);
  });
  const then = (action: (shown: ShownExtensions) => void): void => {
    loading.then(action, () => undefined);
  };
  return {
    update(...next) {
      then((shown) => {
        shown.update(...next);
      });
    },
    leave() {
      then((shown) => {
        shown.leave();
      });
    },
  };
}
