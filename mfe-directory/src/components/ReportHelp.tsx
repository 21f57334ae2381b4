import { useSite } from "@colonnade/kit";
import { TextLink } from "@colonnade/design/text";
import type { ReactElement } from "react";

import css from "./Report.module.css";

interface Props {
  readonly heading: string;
  /** Subject of the report email. */
  readonly subject: string;
}

/** Contacts for reporting an ad: the site and hotlines. */
export function ReportHelp({ heading, subject }: Props): ReactElement {
  const { contact } = useSite();
  return (
    <section className={css.help} aria-labelledby="report">
      <h2 id="report">{heading}</h2>
      <p>
        Write to <a href={`mailto:${contact}?subject=${encodeURIComponent(subject)}`}>{contact}</a> about anything that
        looks wrong: a stolen photo or text, someone under 18, signs that someone is being forced. Don’t confront anyone
        yourself. In urgent cases, contact one of these first. They can act faster than we can:
      </p>
      <dl>
        <div>
          <dt>Immediate danger</dt>
          <dd>
            <a href="tel:911">Call 911</a>
          </dd>
        </div>
        <div>
          <dt>Someone is being forced or trafficked</dt>
          <dd>
            National Human Trafficking Hotline, 24 hours a day, confidential:{" "}
            <a href="tel:+18883737888">1-888-373-7888</a> (TTY 711), text <a href="sms:233733">233733</a>,{" "}
            <TextLink href="https://humantraffickinghotline.org/">humantraffickinghotline.org</TextLink>
          </dd>
        </div>
        <div>
          <dt>Someone is under 18</dt>
          <dd>
            National Center for Missing &amp; Exploited Children: <a href="tel:+18008435678">1-800-843-5678</a>,{" "}
            <TextLink href="https://report.cybertip.org/">report.cybertip.org</TextLink>
          </dd>
        </div>
        <div>
          <dt>Fraud, or threats to publish something</dt>
          <dd>
            FBI Internet Crime Complaint Center: <TextLink href="https://www.ic3.gov/">ic3.gov</TextLink>
          </dd>
        </div>
      </dl>
    </section>
  );
}
