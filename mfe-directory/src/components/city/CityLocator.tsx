import { TextLink } from "@colonnade/design/text";
import type { ReactElement } from "react";

import type { CityLocation } from "../../data/maps";
import type { Place } from "../../data/links";
import { findState } from "../../data/states";
import { formatCount } from "../../text/formatCount";
import { Chips } from "../map/Chips";
import { OutlineMap } from "../map/OutlineMap";
import css from "./CityLocator.module.css";

interface Props {
  readonly place: Place;
  readonly location: CityLocation;
}

/** States where the sea lies between many cities. All distances are straight lines. */
const BY_AIR = ["Alaska", "Hawaii"];

/** Where a city is, its population, and links to the nearest cities. */
export function CityLocator({ place: { state, city }, location }: Props): ReactElement {
  const { outline, x, y, ring, region, population, nearest } = location;
  return (
    <section className={css.locator} aria-labelledby="nearby">
      <div className={css.map}>
        <OutlineMap
          outline={outline}
          cropped
          label={`Map: ${city} is in the ${region} of ${state}.${ring ? " A ring goes around the nearby cities." : ""}`}
        >
          {ring > 0 && <circle className={css.ring} cx={x} cy={y} r={ring} />}
          <path className={css.dot} d={`M${String(x)} ${String(y)}h0`} />
        </OutlineMap>
      </div>
      <p className={css.population}>
        <strong>{formatCount(population)}</strong> residents{" "}
        <small>
          <TextLink href="https://www.geonames.org/">GeoNames</TextLink>, CC BY 4.0 (no year given)
        </small>
      </p>
      <div className={css.nearby}>
        <h2 id="nearby">{BY_AIR.includes(state) ? "Nearby cities by air" : "Nearby cities"}</h2>
        <Chips
          labelledBy="nearby"
          chips={nearest.map(({ place, miles }) => ({
            place,
            name: place.state === state ? place.city : `${place.city}, ${findState(place.state)?.code ?? place.state}`,
            detail: `${formatCount(miles)} mi`,
          }))}
        />
      </div>
    </section>
  );
}
