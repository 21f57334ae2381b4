import { useSite } from "@colonnade/kit";
import { TextLink } from "@colonnade/kit/text";
import { useEffect, useRef, type ReactElement } from "react";

import { nothingHasFocus } from "../focus";
import { wasSent } from "./ended";
import css from "./ending.module.css";

/** Heading of what stands in the form's place once sign-up has ended. */
export const ENDED_HEADING = "Sign-up ends here";

/**
 * Says, kindly, that sign-up has ended: all that is left of the form once an age under 18 was stated. An earlier
 * attempt may have got further than the one that ended it, so of that nothing more is said than is known.
 */
export function SignupEnded(): ReactElement {
  const { host } = useSite().signup;
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The button that was pressed is gone, and the focus with it.
    if (nothingHasFocus()) text.current?.focus();
  }, []);
  return (
    <div className={css.ended}>
      <p ref={text} tabIndex={-1}>
        Thank you for telling us your age. This site is only for people aged 18 and over, so sign-up ends here. Nothing
        of this attempt was passed on or kept.
        {host !== null &&
          wasSent() &&
          ` What you sent before was meant for ${host} and may have arrived there; this site kept none of it.`}
      </p>
      <p>
        If something you saw online worries you, or somebody puts you under pressure, you are not alone and not in
        trouble. The National Center for Missing &amp; Exploited Children listens:{" "}
        <a href="tel:+18008435678">1-800-843-5678</a> or{" "}
        <TextLink href="https://report.cybertip.org/">report.cybertip.org</TextLink>. In immediate danger, call{" "}
        <a href="tel:911">911</a>.
      </p>
    </div>
  );
}
