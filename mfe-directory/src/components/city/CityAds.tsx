import type { ReactElement } from "react";

import type { Ad } from "../../data/ad";
import { ADS } from "../../data/ads";
import type { Place } from "../../data/places";
import { useCityAds } from "../../draw/useCityAds";
import { classes } from "../classes";
import { AdCard } from "./AdCard";
import css from "./CityAds.module.css";

// How many regular ads are listed where no script draws a list.
const LISTED_WITHOUT_SCRIPT = 28;

function List({ place, ads }: { readonly place: Place; readonly ads: readonly Ad[] }): ReactElement {
  return (
    <ul className={classes("grid", css.list)}>
      {ads.map((ad) => (
        <AdCard key={ad.id} ad={ad} place={place} />
      ))}
    </ul>
  );
}

/** The ads of a city. The server says that they are loading; the browser draws them; without script there is a fixed list. */
export function CityAds({ place }: { readonly place: Place }): ReactElement {
  const ads = useCityAds(place);
  if (ads) return <List place={place} ads={ads} />;
  return (
    <div className={css.waiting}>
      <p className={css.loading}>Loading ads...</p>
      <div className={css.ghosts} aria-hidden="true">
        <div className="card" />
        <div className="card" />
      </div>
      <noscript>
        <List place={place} ads={[...ADS.featured, ...ADS.regular.slice(0, LISTED_WITHOUT_SCRIPT)]} />
      </noscript>
    </div>
  );
}
