import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import type { Ad } from "../data/ad";
import { adPath } from "../data/links";
import type { Place } from "../data/links";
import css from "./Report.module.css";

interface Props {
  readonly ad: Ad;
  readonly place: Place;
  /** Whether the current page has the report section (default: for featured ads). */
  readonly samePage?: boolean;
}

/** Links to the report section of the ad's page. Featured ads have no page; their link targets the city page. */
export function ReportLink({ ad, place, samePage = ad.featured }: Props): ReactElement {
  return (
    <Link
      to={samePage ? "#report" : `${adPath(place, ad.id)}#report`}
      className={css.link}
      aria-label={`Report this ad: ${ad.title}`}
    >
      Report this ad
    </Link>
  );
}
