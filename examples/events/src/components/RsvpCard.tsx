import { Card, Field, Notice } from "@colonnade/design";
import { MutationForm, SubmitButton } from "@colonnade/kit/data";
import type { ReactElement } from "react";

import { rsvpAction } from "../paths";
import { rsvpSchema } from "../schemas";
import css from "./RsvpCard.module.css";

interface Props {
  /** The event's id. */
  readonly event: number;
  readonly isOver: boolean;
  readonly onSuccess: () => void;
}

/** The RSVP form. Without JavaScript, the API redirects to a page with the outcome. */
export function RsvpCard({ event, isOver, onSuccess }: Props): ReactElement {
  return (
    <Card as="section" aria-labelledby="rsvp" className={css.rsvp}>
      <h2 id="rsvp">RSVP</h2>
      {isOver ? (
        <Notice title="This event is over" />
      ) : (
        <MutationForm
          action={rsvpAction(event)}
          schema={rsvpSchema}
          onSuccess={onSuccess}
          className={css.form}
          error={(message) => <Notice kind="error" title={message} />}
          success={({ places }) => (
            <Notice kind="success" title={`You have ${places === 1 ? "1 place" : `${String(places)} places`}`}>
              <p>Your RSVP is in the API of this example and nowhere else.</p>
            </Notice>
          )}
        >
          <p className={css.note}>
            This is an example. Your RSVP stays in its API until that stops, with a code derived from your email address
            instead of the address. Nothing is sent to you.
          </p>
          <Field label="Email" type="email" name="email" autoComplete="email" required maxLength={254} />
          <Field label="Places" hint="1 to 4" type="number" name="places" min={1} max={4} defaultValue={1} required />
          <SubmitButton className="button">RSVP</SubmitButton>
        </MutationForm>
      )}
    </Card>
  );
}
