// Imported by package name, not by path: a section bundles this module but must use the shell's context.
import { useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import { factOf } from "./facts.js";
import { TextLink } from "./TextLink.js";

/** The value of a site fact that the text names in braces. The contact address becomes a `mailto:` link. */
function SiteFact({ name }: { readonly name: string }): ReactElement {
  const fact = factOf(name, useSite());
  return name === "contact" ? <a href={`mailto:${fact}`}>{fact}</a> : <>{fact}</>;
}

/** Components for Markdown elements. Pass them to a Markdown module's component as `components`. */
export const TEXT_COMPONENTS = { a: TextLink, "site-fact": SiteFact } as const;
