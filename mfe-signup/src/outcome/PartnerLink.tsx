import type { Partner } from "@colonnade/kit";
import type { MouseEventHandler, ReactElement } from "react";

/** Props of {@link PartnerLink}. */
export interface PartnerLinkProps {
  readonly partner: Partner;
  /** What stands before the partner's name. */
  readonly lead?: string;
  readonly className?: string;
  readonly onClick?: MouseEventHandler;
}

/** A link to the partner. Its label is part of it, so that nobody meets the one without the other. */
export function PartnerLink({ partner, lead = "", ...rest }: PartnerLinkProps): ReactElement {
  return (
    <a href={partner.url} rel="sponsored nofollow noopener" {...rest}>
      {lead}
      {partner.name} ({partner.host}) <span className="affiliate">Affiliate link</span>
    </a>
  );
}
