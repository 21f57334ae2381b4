import { Card, JoinButton, signupOf } from "@colonnade/design";
import { definePage, Link, useSite } from "@colonnade/kit";
import { TempleArt } from "@colonnade/design/art";
import { fillFacts } from "@colonnade/design/text";
import type { ReactElement } from "react";

import { CARDS, type Card as Article } from "../cards";
import { articlePath, HUB, HUB_BREADCRUMBS } from "../routes";
import css from "./hub.module.css";
import { Icon } from "./Icon";

const DESCRIPTION =
  "What this site is, how it earns, how to compare platforms and stay safe, and what the law says: nine guides, with their sources.";

function ArticleCard({ slug, title, card, icon }: Article): ReactElement {
  const site = useSite();
  return (
    <Card as="li" linked className={css.card}>
      <Icon name={icon} className={css.icon} />
      <h2>
        <Link to={articlePath(slug)}>{fillFacts(title, site)}</Link>
      </h2>
      <p>{fillFacts(card, site)}</p>
    </Card>
  );
}

/** Invites visitors to sign up, or says that no sign-up service is configured. */
function Invitation(): ReactElement {
  const { host } = signupOf(useSite());
  return (
    <section className={css.invitation} aria-labelledby="invitation">
      <h2 id="invitation">{host === null ? "Sign-up isn’t available" : "Ready to sign up?"}</h2>
      <p>
        {host === null
          ? "There’s no sign-up service right now, so you can’t create an account. You don’t need one to browse."
          : "Before you send anything, the form tells you who gets your details and that the sign-up carries an affiliate tag. You must be 18 or older."}
      </p>
      {host !== null && <JoinButton className="button">Join Now</JoinButton>}
    </section>
  );
}

function Hub(): ReactElement {
  const { brand } = useSite();
  return (
    <div className="page">
      <header className={css.intro}>
        <TempleArt className={css.art} />
        <h1>Guides</h1>
        <p className={css.lede}>
          How this site works, what the law says, and how to take care of yourself and others. Every guide lists its
          sources.
        </p>
        <p>
          {brand.includes("Escort Babylon")
            ? `${brand} isn’t affiliated with any other site called Escort Babylon.`
            : "This site has nothing to do with any site called Escort Babylon."}
        </p>
      </header>
      <ul className={`grid ${css.cards ?? ""}`}>
        {CARDS.map((card) => (
          <ArticleCard key={card.slug} {...card} />
        ))}
      </ul>
      <Invitation />
    </div>
  );
}

export const page = definePage({
  data: () => null,
  paths: () => [HUB],
  head: ({ site }) => {
    const title = `Guides - ${site.brand}`;
    return {
      title,
      description: DESCRIPTION,
      canonical: HUB,
      social: { title, description: DESCRIPTION, type: "website", url: HUB },
      breadcrumbs: HUB_BREADCRUMBS,
    };
  },
  Component: Hub,
});
