import { Card, JoinButton } from "@colonnade/design";
import { AvatarArt } from "@colonnade/design/art";
import { useId, type ReactElement } from "react";

import type { Ad } from "../../data/ad";
import type { Place } from "../../data/links";
import { ReportLink } from "../ReportLink";
import { SampleBadge } from "../SampleBadge";
import css from "./AdDetail.module.css";

interface Props {
  readonly ad: Ad;
  readonly place: Place;
}

/** The full view of an ad. */
export function AdDetail({ ad, place }: Props): ReactElement {
  const reason = ad.sample ? "sample" : "general";
  const heading = useId();
  return (
    <Card as="article" className={css.ad} aria-labelledby={heading}>
      <AvatarArt seed={String(ad.id)} label="Abstract placeholder, not a photo" className={css.art} />
      <h1 id={heading}>{ad.title}</h1>
      <p className={css.facts}>
        <SampleBadge ad={ad} />
        <span>{`Age: ${String(ad.age)}`}</span>
        <span>W4M: woman for men</span>
      </p>
      <p className={css.description}>{ad.description}</p>
      <div className={css.actions}>
        <JoinButton className="button quiet" reason={reason}>
          Pics 📸
        </JoinButton>
        <JoinButton className="button" reason={reason}>
          Reply
        </JoinButton>
      </div>
      <div className={css.end}>
        <p>{`Posted in ${place.city}, ${place.state}`}</p>
        <ReportLink ad={ad} place={place} samePage />
      </div>
    </Card>
  );
}
