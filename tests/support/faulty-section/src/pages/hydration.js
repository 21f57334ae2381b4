import { createElement as h } from "react";

import { Content, fail, pageWith } from "../page.js";

/** Renders on the server and throws in a browser. */
export const page = pageWith({
  Component: () => {
    if (globalThis.document) fail();
    return h(
      "div",
      { className: "page" },
      Content(),
      h("p", null, h("a", { href: "/terms" }, "The terms"), " and ", h("a", { href: "#below" }, "what is below")),
      h("details", null, h("summary", null, "A question"), h("p", null, "An answer")),
      h("form", { action: "/terms" }, h("label", null, "Words ", h("input", { name: "words" }))),
      h("h2", { id: "below" }, "What is below"),
    );
  },
});
