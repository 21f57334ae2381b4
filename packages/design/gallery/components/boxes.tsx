import { Badge, Card, Grid } from "@colonnade/design";
import { AvatarArt } from "@colonnade/design/art";
import type { ReactElement } from "react";

import { LONG_WORD, Specimen, Specimens } from "../Specimen.js";

function Place({ name = "Springfield" }: { readonly name?: string }): ReactElement {
  return (
    <Card linked>
      <h3>
        <a href="#card">{name}</a>
      </h3>
      <p>12 sample ads</p>
    </Card>
  );
}

/** Cards. */
export function Cards(): ReactElement {
  return (
    <Specimens name="Card">
      <Specimen name="plain">
        <Card>
          <p>Something that belongs together.</p>
        </Card>
      </Specimen>
      <Specimen name="linked">
        <Place />
      </Specimen>
      <Specimen name="linked, hover" state="hover">
        <Place />
      </Specimen>
      <Specimen name="linked, focus" state="focus">
        <Place />
      </Specimen>
      <Specimen name="long, narrow" narrow>
        <Place name={LONG_WORD} />
      </Specimen>
    </Specimens>
  );
}

const PLACES = ["Austin", "Dallas", "El Paso", "Houston", "San Antonio"];

/** Grids of cards, in each cell width. */
export function Grids(): ReactElement {
  return (
    <Specimens name="Grid">
      {(["narrow", "normal", "wide"] as const).map((cells) => (
        <Specimen key={cells} name={`${cells} cells`}>
          <Grid cells={cells}>
            {PLACES.map((place) => (
              <li key={place}>
                <Place name={place} />
              </li>
            ))}
          </Grid>
        </Specimen>
      ))}
      <Specimen name="wide cells, narrow" narrow>
        <Grid cells="wide">
          {PLACES.slice(0, 2).map((place) => (
            <li key={place}>
              <Place name={place} />
            </li>
          ))}
        </Grid>
      </Specimen>
    </Specimens>
  );
}

/** Badges. */
export function Badges(): ReactElement {
  return (
    <Specimens name="Badge">
      <Specimen name="plain">
        <Badge>Age 34</Badge>
      </Specimen>
      <Specimen name="sample">
        <Badge sample>Sample ad</Badge>
      </Specimen>
      <Specimen name="long, narrow" narrow>
        <Badge>{LONG_WORD}</Badge>
      </Specimen>
    </Specimens>
  );
}

/** Avatar art of several seeds. */
export function Pictures(): ReactElement {
  return (
    <Specimens name="Avatar art">
      {["Ada", "Bea", "Cleo", "Dora", "Eve", "Fay", "Gia", "Hal"].map((seed) => (
        <Specimen key={seed} name={seed}>
          <AvatarArt seed={seed} label={`Pattern of ${seed}`} />
        </Specimen>
      ))}
    </Specimens>
  );
}
