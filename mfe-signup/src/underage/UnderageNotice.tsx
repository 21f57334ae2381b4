import { useSite } from "@colonnade/kit";
import { TextLink } from "@colonnade/kit/text";
import { useEffect, useRef, type ReactElement } from "react";

import { nothingHasFocus } from "../focus";
import { hasSubmitted } from "./underage";
import css from "./underage.module.css";

/** Heading that replaces the form's heading. */
export const UNDERAGE_HEADING = "Sign-up ends here";

/**
 * Replaces the form after an age under 18 was stated. An earlier attempt may have reached the backend, so the notice
 * mentions it separately.
 */
export function UnderageNotice(): ReactElement {
  const { host } = useSite().signup;
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The focused submit button was removed.
    if (nothingHasFocus()) text.current?.focus();
  }, []);
  return (
    <div className={css.notice}>
      <p ref={text} tabIndex={-1}>
        Thank you for telling us your age. This site is only for people aged 18 and over, so sign-up ends here. Nothing
        of this attempt was passed on or kept.
        {host !== null &&
          hasSubmitted() &&
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
