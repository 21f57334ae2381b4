import { useSite } from "@colonnade/kit";
import { TextLink } from "@colonnade/kit/text";
import type { ReactElement } from "react";

import css from "./ReportHelp.module.css";

interface Props {
  readonly heading: string;
  /** Subject of the e-mail to the site. */
  readonly subject: string;
}

/** Where to report an ad: to the site, and to those who help people in danger. */
export function ReportHelp({ heading, subject }: Props): ReactElement {
  const { contact } = useSite();
  return (
    <section className={css.help} aria-labelledby="report">
      <h2 id="report">{heading}</h2>
      <p>
        Write to <a href={`mailto:${contact}?subject=${encodeURIComponent(subject)}`}>{contact}</a> about anything that
        looks wrong: a stolen photo or text, a person under 18, signs that somebody is forced. Do not confront anybody
        yourself.
      </p>
      <ul>
        <li>
          Immediate danger: call <a href="tel:911">911</a>.
        </li>
        <li>
          National Human Trafficking Hotline, day and night, confidential: <a href="tel:+18883737888">1-888-373-7888</a>
          , text <a href="sms:233733">233733</a>,{" "}
          <TextLink href="https://humantraffickinghotline.org/">humantraffickinghotline.org</TextLink>.
        </li>
        <li>
          Somebody under 18: National Center for Missing &amp; Exploited Children,{" "}
          <a href="tel:+18008435678">1-800-843-5678</a>,{" "}
          <TextLink href="https://report.cybertip.org/">report.cybertip.org</TextLink>.
        </li>
      </ul>
    </section>
  );
}
