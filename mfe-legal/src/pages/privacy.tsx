import { definePage, useSite } from "@colonnade/kit";
import { factOf, fillFacts } from "@colonnade/design/text";
import type { ReactElement } from "react";

import * as file from "../../content/privacy.md";
import { readLegalText } from "../legalText";
import { headOf } from "./head";
import css from "./legal.module.css";
import { LegalPage } from "./LegalPage";

const PATH = "/privacy";
const TEXT = readLegalText("content/privacy.md", file);

function Commitment(): ReactElement {
  const site = useSite();
  return (
    <section className={css.commitment} aria-labelledby="commitment">
      <h2 id="commitment">Our privacy commitment</h2>
      <ul>
        {TEXT.commitment.map((promise) => (
          <li key={promise}>{fillFacts(promise, site)}</li>
        ))}
      </ul>
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
    <LegalPage text={TEXT}>
      <Commitment />
      <Recipients />
    </LegalPage>
  );
}

export const page = definePage({
  data: () => null,
  paths: () => [PATH],
  head: ({ site }) => ({ ...headOf(TEXT, PATH, site), robots: "noindex" }),
  Component: Privacy,
});
