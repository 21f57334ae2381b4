import { classes } from "@colonnade/design";
import type { ReactElement } from "react";

import type { Ad } from "../../data/ad";
import { ADS } from "../../data/ads";
import type { Place } from "../../data/links";
import { useCityAds } from "../../draw/useCityAds";
import { useEntryState } from "../filter/useEntryState";
import { AdCard } from "./AdCard";
import { AdSelectionForm } from "./AdSelectionForm";
import css from "./CityAds.module.css";
import { ALL, selectAds } from "./selectAds";

// Number of regular ads in the list without JavaScript.
const NOSCRIPT_ADS = 28;

interface ListProps {
  readonly place: Place;
  readonly ads: readonly Ad[];
  readonly plain?: boolean;
}

function Cards({ place, ads, plain = false }: ListProps): ReactElement {
  return (
    <ul className={classes("grid", css.list)}>
      {ads.map((ad) => (
        <AdCard key={ad.id} ad={ad} place={place} plain={plain} />
      ))}
    </ul>
  );
}

/** The featured ads, then the regular ones with a form to filter and sort them. */
function List({ place, ads, plain = false }: ListProps): ReactElement {
  const [selection, setSelection] = useEntryState(ALL);
  const featured = ads.filter((ad) => ad.featured);
  const regular = ads.filter((ad) => !ad.featured);
  const shown = selectAds(regular, selection);
  return (
    <>
      <section aria-labelledby="featured">
        <h2 id="featured" className={css.heading}>
          Featured <span>{featured.length}</span>
        </h2>
        <Cards place={place} ads={featured} />
        {featured.some((ad) => ad.sample) && (
          <p className={css.note}>
            “Most popular” marks the two samples that come first in every city. It doesn’t measure anything. W4M means
            “woman for men.”
          </p>
        )}
      </section>
      <section aria-labelledby="all">
        <h2 id="all" className={css.heading}>
          All other ads <span>{regular.length}</span>
        </h2>
        <AdSelectionForm selection={selection} shown={shown.length} total={regular.length} onSelect={setSelection} />
        <Cards place={place} ads={shown} plain={plain} />
      </section>
    </>
  );
}

/** A city's ads: a loading state on the server, a random list in the browser, a fixed list without JavaScript. */
export function CityAds({ place }: { readonly place: Place }): ReactElement {
  const ads = useCityAds(place);
  if (ads) return <List key={`${place.state}/${place.city}`} place={place} ads={ads} />;
  return (
    <div className={css.placeholder}>
      <p className={css.loading}>Loading ads...</p>
      <div className={css.skeletons} aria-hidden="true">
        {["first", "second"].map((name) => (
          <div key={name} className={classes("card", css.skeleton)}>
            <span />
            <span />
            <span />
          </div>
        ))}
      </div>
      <noscript>
        {/* Every document contains this list, so its ads are plain. */}
        <List plain place={place} ads={[...ADS.featured, ...ADS.regular.slice(0, NOSCRIPT_ADS)]} />
      </noscript>
    </div>
  );
}
