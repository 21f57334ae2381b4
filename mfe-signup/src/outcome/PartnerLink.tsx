import type { Partner } from "@colonnade/kit";
import type { ReactElement } from "react";

/** A link to the partner. Its label is part of it, so that nobody meets the one without the other. */
export function PartnerLink({ partner }: { readonly partner: Partner }): ReactElement {
  return (
    <a href={partner.url} rel="sponsored nofollow noopener">
      {partner.name} ({partner.host}) <span className="affiliate">Affiliate link</span>
    </a>
  );
}
