import type { Partner } from "@colonnade/design";
import type { ComponentPropsWithoutRef, ReactElement } from "react";

interface PartnerLinkProps extends Omit<ComponentPropsWithoutRef<"a">, "href" | "rel" | "children"> {
  readonly partner: Partner;
  /** Text before the partner's name. */
  readonly prefix?: string;
}

/** A link to the partner. The affiliate label is part of the link, so that it cannot be omitted. */
export function PartnerLink({ partner, prefix = "", ...rest }: PartnerLinkProps): ReactElement {
  return (
    <a {...rest} href={partner.url} rel="sponsored nofollow noopener">
      {prefix}
      {partner.name} ({partner.host}) <span className="affiliate">Affiliate link</span>
    </a>
  );
}
