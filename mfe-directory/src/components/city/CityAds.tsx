import type { ReactElement } from "react";

import type { Ad } from "../../data/ad";
import { ADS } from "../../data/ads";
import type { Place } from "../../data/places";
import { useCityAds } from "../../draw/useCityAds";
import { classes } from "../classes";
import { AdCard } from "./AdCard";
import css from "./CityAds.module.css";

// Number of regular ads in the list without JavaScript.
const NOSCRIPT_ADS = 28;

function List({ place, ads }: { readonly place: Place; readonly ads: readonly Ad[] }): ReactElement {
  return (
    <ul className={classes("grid", css.list)}>
      {ads.map((ad) => (
        <AdCard key={ad.id} ad={ad} place={place} />
      ))}
    </ul>
  );
}

/** A city's ads: a loading state on the server, a random list in the browser, a fixed list without JavaScript. */
export function CityAds({ place }: { readonly place: Place }): ReactElement {
  const ads = useCityAds(place);
  if (ads) return <List place={place} ads={ads} />;
  return (
    <div className={css.placeholder}>
      <p className={css.loading}>Loading ads...</p>
      <div className={css.skeletons} aria-hidden="true">
        <div className="card" />
        <div className="card" />
      </div>
      <noscript>
        <List place={place} ads={[...ADS.featured, ...ADS.regular.slice(0, NOSCRIPT_ADS)]} />
      </noscript>
    </div>
  );
}
