import type { ReactElement } from "react";

import { Badges, Cards, Grids, Pictures } from "./components/boxes.js";
import { Buttons } from "./components/buttons.js";
import { Dialogs, Fields } from "./components/forms.js";
import { Disclosures, LongText, Notices, Trails } from "./components/text.js";

const SCHEMES = ["system", "light", "dark"];

/** All components of the design system, in all states. */
export function Gallery(): ReactElement {
  return (
    <>
      <header className="page gallery-top">
        <h1>Gallery</h1>
        <fieldset>
          <legend>Colors</legend>
          {SCHEMES.map((scheme) => (
            <label key={scheme}>
              <input type="radio" name="scheme" id={`scheme-${scheme}`} defaultChecked={scheme === "system"} /> {scheme}
            </label>
          ))}
        </fieldset>
      </header>
      <main>
        <div className="page">
          <Buttons />
          <Cards />
          <Grids />
          <Badges />
          <Fields />
          <Dialogs />
          <Disclosures />
          <Trails />
          <LongText />
          <Notices />
          <Pictures />
        </div>
      </main>
    </>
  );
}
