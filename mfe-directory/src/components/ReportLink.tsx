import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import type { Ad } from "../data/ad";
import { adPath } from "../data/links";
import type { Place } from "../data/places";
import css from "./ReportLink.module.css";

interface Props {
  readonly ad: Ad;
  readonly place: Place;
  /** Whether the page that is shown is the ad's own. */
  readonly here?: boolean;
}

/** Leads to where an ad is reported: on its own page, which names it. A featured ad has none; its city's page will do. */
export function ReportLink({ ad, place, here = ad.featured }: Props): ReactElement {
  return (
    <Link
      to={here ? "#report" : `${adPath(place, ad.id)}#report`}
      className={css.report}
      aria-label={`Report this ad: ${ad.title}`}
    >
      Report this ad
    </Link>
  );
}
