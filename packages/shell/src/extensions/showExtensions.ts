import type { PlaceOfExtensions, ShownExtensions } from "@colonnade/kit/shell";

/** Ends what the kit's place does until its extensions are shown, once the browser has laid them out. */
export function settlePlace(place: Element): void {
  requestAnimationFrame(() => {
    setTimeout(() => {
      for (const name of ["style", "data-pending"]) place.removeAttribute(name);
    });
  });
}

/** Shows the extensions of a point in its place. Their code is no part of the first view, which does not wait for it. */
export function showExtensions(place: PlaceOfExtensions): ShownExtensions {
  const loading = import("./extensionRoots.js").then((roots) => roots.showExtensions(place));
  loading.catch((error: unknown) => {
    console.warn("[shell] the extensions are not shown:", error);
    settlePlace(place.element);
  });
  const then = (action: (shown: ShownExtensions) => void): void => {
    loading.then(action, () => undefined);
  };
  return {
    update(next) {
      then((shown) => {
        shown.update(next);
      });
    },
    remove() {
      then((shown) => {
        shown.remove();
      });
    },
  };
}
