import { useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

/** Shows the fact of the site that a `{name}` in a Markdown text stands for. */
export function SiteFact({ name }: { readonly name: string }): ReactElement {
  const { brand, contact, legalEntity, processingCountry, retention, governingLaw } = useSite();
  if (name === "contact") return <a href={`mailto:${contact}`}>{contact}</a>;
  const facts: Readonly<Partial<Record<string, string>>> = {
    brand,
    legalEntity,
    processingCountry,
    retention,
    governingLaw,
  };
  return <>{facts[name] ?? `{${name}}`}</>;
}
