import { Card, classes, JoinButton } from "@colonnade/design";
import { Link } from "@colonnade/kit";
import { AvatarArt } from "@colonnade/design/art";
import { useId, type ReactElement } from "react";

import type { Ad } from "../../data/ad";
import { adPath } from "../../data/links";
import type { Place } from "../../data/links";
import { ReportLink } from "../ReportLink";
import { SampleBadge } from "../SampleBadge";
import css from "./AdCard.module.css";
import { AdPhotos } from "./AdPhotos";

interface Props {
  readonly ad: Ad;
  readonly place: Place;
  /** Leaves out the generated pattern of a regular ad. */
  readonly plain?: boolean;
}

/**
 * An ad in a city's list. A regular ad has a small generated pattern, and its title links to its page; a featured ad has
 * pictures and no page.
 */
export function AdCard({ ad, place, plain = false }: Props): ReactElement {
  const heading = useId();
  return (
    <li className={classes(css.item, ad.featured && css.featured)}>
      <Card as="article" className={css.card} aria-labelledby={heading}>
        {ad.photos && <AdPhotos names={ad.photos} />}
        <div className={css.body}>
          <div className={css.top}>
            <h3 id={heading}>{ad.featured ? ad.title : <Link to={adPath(place, ad.id)}>{ad.title}</Link>}</h3>
            {!ad.featured && !plain && <AvatarArt seed={String(ad.id)} className={css.art} />}
          </div>
          <p className={css.tags}>
            <SampleBadge ad={ad} />{" "}
            {ad.featured && (
              <>
                <span className="badge">most popular</span> {ad.sample && <span>sample label</span>}
              </>
            )}{" "}
            <span className="badge">{`Age ${String(ad.age)}`}</span> <abbr title="woman for men">W4M</abbr>
          </p>
          <p className={css.description}>{ad.description}</p>
          <div className={css.actions}>
            {/* The quiet style: a list has dozens of regular ads. */}
            <JoinButton
              className={classes("button", !ad.featured && "quiet")}
              reason={ad.sample ? "sample" : "general"}
              describedBy={heading}
            >
              Reply to Ad 💬
            </JoinButton>
            <ReportLink ad={ad} place={place} />
          </div>
        </div>
      </Card>
    </li>
  );
}
