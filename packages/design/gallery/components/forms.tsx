import { Button, Dialog, Field, Notice } from "@colonnade/design";
import type { ReactElement } from "react";

import { LONG_WORD, Specimen, Specimens } from "../Specimen.js";

/** Fields with hints, errors and adjacent content. */
export function Fields(): ReactElement {
  return (
    <Specimens name="Field">
      <Specimen name="empty">
        <Field label="E-mail" type="email" placeholder="you@example.com" />
      </Specimen>
      <Specimen name="filled in, hint">
        <Field label="Age" hint="In whole years, from 18 to 120." defaultValue="34" />
      </Specimen>
      <Specimen name="hover" state="hover">
        <Field label="E-mail" defaultValue="ada@example.com" />
      </Specimen>
      <Specimen name="focus" state="focus">
        <Field label="E-mail" defaultValue="ada@example.com" />
      </Specimen>
      <Specimen name="error">
        <Field label="E-mail" defaultValue="ada@" error="An e-mail address has a name, an @ and a domain." />
      </Specimen>
      <Specimen name="disabled">
        <Field label="E-mail" defaultValue="ada@example.com" disabled />
      </Specimen>
      <Specimen name="button beside it">
        <Field label="Password" hint="At least 10 characters." defaultValue="correct horse">
          <Button quiet>Hide</Button>
        </Field>
      </Specimen>
      <Specimen name="long, narrow" narrow>
        <Field label={LONG_WORD} hint={LONG_WORD} error={LONG_WORD} defaultValue={LONG_WORD}>
          <Button quiet>Show password</Button>
        </Field>
      </Specimen>
    </Specimens>
  );
}

// Specimens stay open.
const noop = (): void => undefined;

/** Dialogs. The gallery opens them without script. */
export function Dialogs(): ReactElement {
  return (
    <Specimens name="Dialog">
      <Specimen name="open">
        <Dialog open close={noop} heading="Sign-up is unavailable right now">
          <p>The rest of the site works as usual.</p>
          <Button>Try again</Button>
        </Dialog>
      </Specimen>
      <Specimen name="its button, hover" state="hover">
        <Dialog open close={noop} heading="Leave this site?">
          <Field label="E-mail" />
        </Dialog>
      </Specimen>
      <Specimen name="long, narrow" narrow>
        <Dialog open close={noop} heading={LONG_WORD}>
          <Notice kind="error">
            <p>{LONG_WORD}</p>
          </Notice>
          <Button>Continue</Button>
        </Dialog>
      </Specimen>
    </Specimens>
  );
}
