import type { Partner } from "@colonnade/kit";
import type { MouseEventHandler, ReactElement } from "react";

/** Props of {@link PartnerLink}. */
export interface PartnerLinkProps {
  readonly partner: Partner;
  /** Text before the partner's name. */
  readonly prefix?: string;
  readonly className?: string;
  readonly onClick?: MouseEventHandler;
}

/** A link to the partner. The affiliate label is part of the link, so that it cannot be omitted. */
export function PartnerLink({ partner, prefix = "", ...rest }: PartnerLinkProps): ReactElement {
  return (
    <a href={partner.url} rel="sponsored nofollow noopener" {...rest}>
      {prefix}
      {partner.name} ({partner.host}) <span className="affiliate">Affiliate link</span>
    </a>
  );
}
