import { Badge } from "@colonnade/kit";
import type { ReactElement } from "react";

import type { Ad } from "../data/ad";

/** Says that an ad is a sample. Nothing where it is none. */
export function SampleBadge({ ad }: { readonly ad: Ad }): ReactElement | null {
  return ad.sample ? <Badge sample>Sample ad</Badge> : null;
}
