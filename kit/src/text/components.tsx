// By name, not by path: a section bundles this module, but the context must be the shell's.
import { useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import { factOf } from "./facts.js";
import { TextLink } from "./TextLink.js";

/** A fact of the site where the text names one in braces. The contact address can be written to. */
function SiteFact({ name }: { readonly name: string }): ReactElement {
  const fact = factOf(name, useSite());
  return name === "contact" ? <a href={`mailto:${fact}`}>{fact}</a> : <>{fact}</>;
}

/** What Markdown's elements become, to be handed to a text as its `components`. */
export const TEXT_COMPONENTS = { a: TextLink, "site-fact": SiteFact } as const;
