import { classes } from "@colonnade/design";
import type { ReactElement } from "react";

import type { Label, StateLocation } from "../../data/maps";
import { formatCount } from "../../text/formatCount";
import { Chips } from "../map/Chips";
import { OutlineMap } from "../map/OutlineMap";
import { PointedMap } from "./PointedMap";
import css from "./StateLocator.module.css";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  readonly location: StateLocation;
}

/** What a map leaves out, and whose populations overlap. */
const NOTES: Readonly<Partial<Record<string, string>>> = {
  Alaska: "The map leaves out the western Aleutian Islands.",
  Hawaii: "The map leaves out the northwestern islands.",
  "New York": "Brooklyn, Queens, Manhattan, the Bronx, and Staten Island are part of New York City and its total.",
};

/** The dots of each of `POPULATION_CLASSES`, in words. */
const DOTS = [
  { className: css.small, text: "under 50k residents" },
  { className: css.medium, text: "50k+" },
  { className: css.large, text: "250k+" },
];

/** Size of the letters on a wide screen, in units of the map. */
const LETTERS = 13;

interface LabelsProps {
  readonly className: string | undefined;
  readonly labels: readonly Label[];
  readonly size: number;
  readonly lines?: string;
}

function Labels({ className, labels, size, lines }: LabelsProps): ReactElement {
  return (
    <g className={className} fontSize={size}>
      {lines && <path d={lines} />}
      {labels.map(({ city, x, y, textAnchor, dominantBaseline }) => (
        <text key={city} x={x} y={y} textAnchor={textAnchor} dominantBaseline={dominantBaseline}>
          {city}
        </text>
      ))}
    </g>
  );
}

/** A map of a state's cities, and its largest cities. */
export function StateLocator({ state, cities, location }: Props): ReactElement {
  const { outline, dots, labels, phone, largest } = location;
  const shown = DOTS.flatMap((dot, index) => (dots[index] ? { ...dot, path: dots[index] } : []));
  const positions = labels.map(({ city, region }) => `${city} in the ${region}`).join(", ");
  return (
    <section className={css.locator} aria-labelledby="largest">
      <figure className={css.map}>
        <PointedMap state={state} cities={cities}>
          <OutlineMap
            outline={outline}
            label={`Map of ${state} with its ${cities.length === 1 ? "city" : `${String(cities.length)} cities`}: ${positions}.`}
          >
            {shown.map(({ path, className, text }) => (
              <path key={text} className={classes(css.dots, className)} d={path} />
            ))}
            <Labels className={css.wide} labels={labels} size={LETTERS} />
            <Labels className={css.phone} {...phone} />
          </OutlineMap>
        </PointedMap>
        <figcaption className={css.legend}>
          {shown.map(({ className, text }) => (
            <span key={text}>
              <svg viewBox="-6 -6 12 12" width={12} height={12} aria-hidden="true">
                <path className={classes(css.dots, className)} d="M0 0h0" />
              </svg>
              {text}
            </span>
          ))}
        </figcaption>
      </figure>
      <div className={css.largest}>
        <h2 id="largest">Largest cities</h2>
        <Chips
          labelledBy="largest"
          chips={largest.map(({ city, population }) => ({
            place: { state, city },
            name: city,
            detail: formatCount(population),
          }))}
        />
        <p className={css.source}>Population: GeoNames (no year given). {NOTES[state]} Outline: U.S. Census Bureau.</p>
      </div>
    </section>
  );
}
