import { Button } from "@colonnade/design";
import type { ReactElement } from "react";

import { LONG_WORD, Specimen, Specimens, STATES } from "../Specimen.js";

/** Primary and quiet buttons. */
export function Buttons(): ReactElement {
  return (
    <Specimens name="Button">
      {[false, true].map((quiet) => {
        const kind = quiet ? "quiet" : "primary";
        return [
          <Specimen key={kind} name={kind}>
            <Button quiet={quiet}>Continue</Button>
          </Specimen>,
          ...STATES.map((state) => (
            <Specimen key={`${kind}-${state}`} name={`${kind}, ${state}`} state={state}>
              <Button quiet={quiet}>Continue</Button>
            </Specimen>
          )),
          <Specimen key={`${kind}-disabled`} name={`${kind}, disabled`}>
            <Button quiet={quiet} disabled>
              Continue
            </Button>
          </Specimen>,
          <Specimen key={`${kind}-busy`} name={`${kind}, busy`}>
            <Button quiet={quiet} busy>
              Sending…
            </Button>
          </Specimen>,
        ];
      })}
      <Specimen name="link">
        <Button to="#button">Return to home</Button>
      </Specimen>
      <Specimen name="long, narrow" narrow>
        <Button>{`Continue to ${LONG_WORD}`}</Button>
      </Specimen>
    </Specimens>
  );
}
