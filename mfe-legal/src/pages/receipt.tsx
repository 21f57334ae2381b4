import { definePage } from "@colonnade/kit";
import type { ReactElement } from "react";

import * as file from "../../content/receipt.md";
import { componentsWith } from "../choices";
import { PRIVACY } from "../privacyText";
import { RECEIPT_HEADING, RECEIPT_PATH } from "../receipt/paths";
import { Receipt } from "../receipt/Receipt";
import css from "./receipt.module.css";

const COMPONENTS = componentsWith(file.frontmatter.choices);
const STORED = PRIVACY.sections.find(({ id }) => id === "cookies-and-storage");

function ReceiptPage(): ReactElement {
  return (
    <div className="page">
      <header className={css.header}>
        <h1>{RECEIPT_HEADING}</h1>
        <p className={css.scripted}>Your browser reads this from the tab. Nothing is sent to show it.</p>
        <noscript>
          <p>Without JavaScript, this page can’t look into the tab. It says what the site can keep and send.</p>
        </noscript>
      </header>
      <div className={css.columns}>
        <div className={css.card}>
          <Receipt heading="h2" />
        </div>
        <div className={`prose ${css.text ?? ""}`}>
          <h2>What the site can put into your browser</h2>
          {STORED?.body}
          <file.default components={COMPONENTS} />
        </div>
      </div>
    </div>
  );
}

export const page = definePage({
  data: () => null,
  paths: () => [RECEIPT_PATH],
  head: ({ site }) => ({
    title: `${RECEIPT_HEADING} - ${site.brand}`,
    description: `What ${site.brand} keeps in this tab, and what has left your browser, when, and to whom.`,
    canonical: RECEIPT_PATH,
    robots: "noindex",
    breadcrumbs: [
      { label: "Home", path: "/" },
      { label: "Privacy policy", path: "/privacy" },
      { label: RECEIPT_HEADING, path: RECEIPT_PATH },
    ],
  }),
  Component: ReceiptPage,
});
