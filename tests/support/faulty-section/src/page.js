import { definePage } from "@colonnade/kit";
import { createElement } from "react";

/** Throws until the fault is cleared. */
export function fail() {
  if (!globalThis.faultCleared) throw new Error("a fault of this release");
}

/** Defines a working page, with the given parts replaced. */
export function pageWith(parts) {
  return definePage({
    data: () => null,
    // The build checks listed paths, and would find the fault.
    paths: () => [],
    head: () => ({ title: "Faulty", description: "A page of a test.", canonical: "/faulty", robots: "noindex" }),
    Component: Content,
    ...parts,
  });
}

export function Content() {
  return createElement("div", { className: "page" }, createElement("h1", null, "The fault is cleared"));
}
