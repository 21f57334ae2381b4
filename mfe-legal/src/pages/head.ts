import type { Head, Site } from "@colonnade/kit";
import { fillFacts } from "@colonnade/design/text";

import type { LegalText } from "../legalText";

/** The head of a legal page. */
export function headOf(text: LegalText, path: string, site: Site): Head {
  const label = fillFacts(text.title, site);
  const title = `${label} - ${site.brand}`;
  const description = fillFacts(text.description, site);
  return {
    title,
    description,
    canonical: path,
    social: { title, description, type: "website", url: path },
    breadcrumbs: [
      { label: "Home", path: "/" },
      { label, path },
    ],
  };
}
