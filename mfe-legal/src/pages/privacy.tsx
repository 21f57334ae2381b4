import { definePage, DialogLink, useSite } from "@colonnade/kit";
import { factOf, fillFacts } from "@colonnade/design/text";
import type { ReactElement } from "react";

import { PRIVACY } from "../privacyText";
import { RECEIPT_HEADING, RECEIPT_PATH } from "../receipt/paths";
import { headOf } from "./head";
import css from "./legal.module.css";
import { LegalPage } from "./LegalPage";

const PATH = "/privacy";

function Commitment(): ReactElement {
  const site = useSite();
  return (
    <section className={css.commitment} aria-labelledby="commitment">
      <h2 id="commitment">Our privacy commitment</h2>
      <ul>
        {PRIVACY.commitment.map((promise) => (
          <li key={promise}>{fillFacts(promise, site)}</li>
        ))}
      </ul>
      <p>
        <DialogLink dialog="legal/receipt" page={RECEIPT_PATH}>
          {RECEIPT_HEADING}
        </DialogLink>
      </p>
    </section>
  );
}

/** Names the operator, sign-up service and partner to which the text refers. */
function Recipients(): ReactElement {
  const site = useSite();
  return (
    <dl>
      <div>
        <dt>Operator</dt>
        <dd>{site.facts.legalEntity}</dd>
      </div>
      <div>
        <dt>Sign-up details go to</dt>
        <dd>{factOf("signupRecipient", site)}</dd>
      </div>
      {site.integrations.partner && (
        <div>
          <dt>Partner</dt>
          <dd>
            {site.integrations.partner.name} ({site.integrations.partner.host})
          </dd>
        </div>
      )}
    </dl>
  );
}

function Privacy(): ReactElement {
  return (
    <LegalPage text={PRIVACY}>
      <Commitment />
      <Recipients />
    </LegalPage>
  );
}

export const page = definePage({
  data: () => null,
  paths: () => [PATH],
  head: ({ site }) => ({ ...headOf(PRIVACY, PATH, site), robots: "noindex" }),
  Component: Privacy,
});
