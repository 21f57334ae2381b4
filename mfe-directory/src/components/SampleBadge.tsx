import { Badge } from "@colonnade/design";
import type { ReactElement } from "react";

import type { Ad } from "../data/ad";

/** Labels a sample ad. Renders nothing for other ads. */
export function SampleBadge({ ad }: { readonly ad: Ad }): ReactElement | null {
  return ad.sample ? <Badge sample>Sample ad</Badge> : null;
}
