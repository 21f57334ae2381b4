import { integrations, TEST_FACTS } from "@colonnade/design/testing";
import type { RenderedPage } from "@colonnade/kit/testing";
import { cleanup, within } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { renderExisting } from "../testing/page";

const PARTNER = { id: "example", name: "Example Partner", host: "partner.example", url: "https://partner.example/" };
const CONFIGURED = { site: { integrations: integrations({ host: "signup.example" }, PARTNER) } };
const ROUTES = [
  "/",
  "/terms",
  "/privacy",
  "/privacy/receipt",
  "/about-escort-babylon",
  "/about-escort-babylon/safety-guide",
];

// The subjects of the numbered sections, in order.
const SECTIONS = {
  "/terms": [
    /acceptance/i,
    /description of (the )?service/i,
    /eligibility and registration/i,
    /prohibited activities/i,
    /content and conduct/i,
    /privacy/i,
    /payment and billing/i,
    /disclaimers/i,
    /indemnification/i,
    /termination/i,
    /governing law/i,
    /changes/i,
    /contact/i,
  ],
  "/privacy": [
    /introduction/i,
    /information we collect|information collected/i,
    /use/i,
    /shar/i,
    /security/i,
    /retention/i,
    /rights/i,
    /cookies/i,
    /third parties/i,
    /international users/i,
    /children/i,
    /changes/i,
    /contact/i,
  ],
} as const;

function numberedHeadings({ container }: RenderedPage): string[] {
  return [...container.querySelectorAll("section > h2")]
    .map(({ textContent }) => textContent)
    .filter((text) => /^\d+\./.test(text));
}

describe.each(["/terms", "/privacy"] as const)("%s", (path) => {
  let view: RenderedPage;
  beforeAll(async () => {
    view = await renderExisting(path);
  });
  afterAll(cleanup);

  it("thirteen numbered sections cover their subjects in order", () => {
    const headings = numberedHeadings(view);
    expect(headings).toHaveLength(13);
    headings.forEach((heading, index) => {
      expect(heading).toMatch(new RegExp(`^${String(index + 1)}\\. `));
      expect(heading).toMatch(SECTIONS[path][index] ?? /never/);
    });
  });

  it("every contents entry links to a section with a unique id", () => {
    const targets = [...view.container.querySelectorAll("nav a")].map((anchor) => anchor.getAttribute("href"));
    expect(targets).toHaveLength(13);
    for (const target of targets) expect(view.container.querySelectorAll(`section${String(target)}`)).toHaveLength(1);
    const ids = [...view.container.querySelectorAll("[id]")].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("the header shows both dates in words", () => {
    const [updated, inForce] = view.container.querySelectorAll("header time");
    expect(updated?.parentElement?.textContent).toBe("Last updated January 31, 2026");
    expect(updated?.getAttribute("datetime")).toBe("2026-01-31");
    expect(inForce?.parentElement?.textContent).toMatch(/^Text in force since [A-Z][a-z]+ \d{1,2}, \d{4}$/);
  });

  it("operator, age limit and contact are shown", () => {
    expect(view.container.textContent).toMatch(/Test Company/);
    expect(view.container.textContent).toMatch(/\b18\b/);
    expect(view.container.querySelector("a[href='mailto:contact@site.example']")?.textContent).toBe(
      "contact@site.example",
    );
  });

  it("without a sign-up service the page names no recipient", () => {
    expect(view.container.textContent).toMatch(/no one at present: sign-up is not configured/);
  });

  it("links go to existing pages or are marked as external", () => {
    for (const anchor of view.container.querySelectorAll("a")) {
      const href = anchor.getAttribute("href") ?? "";
      if (/^https?:/.test(href)) expect(anchor.getAttribute("rel")).toBe("noopener noreferrer external");
      else if (!/^(tel:|mailto:|#)/.test(href)) expect(ROUTES).toContain(href);
    }
  });

  it("the page renders nothing that the CSP forbids", () => {
    expect(view.container.querySelectorAll("[style], style, script, iframe")).toHaveLength(0);
  });

  it("every fact is filled in", () => {
    expect(view.container.innerHTML).not.toMatch(/[{}]|site-fact|undefined/);
    expect(`${view.head.title} ${view.head.description}`).not.toMatch(/[{}]/);
  });
});

describe.each(["/terms", "/privacy"] as const)("%s with a sign-up service", (path) => {
  afterEach(cleanup);

  it("every fact is filled in, and the page names the service's host", async () => {
    const { container, head } = await renderExisting(path, CONFIGURED);
    expect(container.innerHTML).not.toMatch(/[{}]|site-fact|undefined/);
    expect(`${head.title} ${head.description}`).not.toMatch(/[{}]/);
    expect(container.textContent).toMatch(/signup\.example/);
    expect(container.textContent).not.toMatch(/no one at present/);
  });
});

describe("terms", () => {
  afterEach(cleanup);

  it("the head is indexable, and the governing law is configured", async () => {
    const { container, head, layout } = await renderExisting("/terms");
    expect(head.canonical).toBe("/terms");
    expect(head.robots).toBeUndefined();
    expect(head.title).toMatch(/ - Test Site$/);
    expect(layout).toEqual({});
    expect(container.textContent).toMatch(/the State of Testing/);
    expect(container.textContent).toMatch(/aren’t legal, medical, or other professional advice/);
  });
});

describe("privacy", () => {
  afterEach(cleanup);

  it("the head has noindex and its canonical path", async () => {
    const { head } = await renderExisting("/privacy");
    expect(head).toMatchObject({ robots: "noindex", canonical: "/privacy" });
  });

  it("a region shows the privacy commitment", async () => {
    const { getByRole } = await renderExisting("/privacy");
    const box = getByRole("region", { name: "Our privacy commitment" });
    expect(within(box).getAllByRole("listitem").length).toBeGreaterThan(0);
    expect(box.textContent).toMatch(/client information is never public/i);
  });

  it("processing country and retention come from the configuration", async () => {
    const { container } = await renderExisting("/privacy", {
      site: { facts: { ...TEST_FACTS, processingCountry: "Country", retention: "kept for a week" } },
    });
    expect(container.textContent).toMatch(/processed in Country/);
    expect(container.textContent).toMatch(/kept for a week/);
  });

  it("the page mentions forwarding only with a sign-up service", async () => {
    const configured = await renderExisting("/privacy", CONFIGURED);
    expect(configured.container.textContent).toContain("through this site’s gateway, to signup.example");
    expect(configured.container.textContent).toContain("together with the affiliate tag, to signup.example");
    cleanup();
    const { container } = await renderExisting("/privacy");
    expect(container.textContent).toContain("there’s no form, and we don’t ask for any details");
    expect(container.textContent).not.toMatch(/details go, through|passes them on|are sent, together/);
  });

  it("the page says that IP addresses are logged only if they are", async () => {
    const logged = await renderExisting("/privacy", { site: { logsClientIp: true } });
    expect(logged.container.textContent).toContain("The gateway writes that address into these records");
    expect(logged.container.textContent).not.toContain("doesn’t write that address down");
    cleanup();
    const { container } = await renderExisting("/privacy");
    expect(container.textContent).toContain("The gateway doesn’t write that address down");
    expect(container.textContent).not.toContain("writes that address into");
  });

  it.each([
    ["Introduction", 0, [/only for people aged 18 or older/]],
    ["Children", 0, [/only for people aged 18 or older/]],
    [
      "Information we collect",
      3,
      [
        /which release of that part failed, the pattern of the page, .+ whether it failed while loading or while being drawn, and the class of the error/,
        /counts in memory only, .* keyed hash; the address itself isn’t kept/,
      ],
    ],
    [
      "Cookies",
      8,
      [
        /A rollout cookie, at times: .* While a new release .* ends 30 days after/,
        /A preview cookie, for invited people: .* Only someone who opens a preview link .* ends when the link does/,
        /The ad list of a city page: .* kept in session storage/,
        /If you state an age under 18, .* keep the word “closed,”.* They hold no age\./,
        /That you sent the sign-up form: .* the names of its fields, .* It never holds what you typed\./,
        /Where you were on a page: .* how far you scrolled and which link you opened or field you left/,
      ],
    ],
  ] as const)("the section %s says what the software does", async (name, items, texts) => {
    const { container } = await renderExisting("/privacy");
    const headings = [...container.querySelectorAll("section > h2")];
    const text = headings.find(({ textContent }) => textContent.includes(name))?.parentElement;
    for (const pattern of texts) expect(text?.textContent.replaceAll(/\s+/g, " ")).toMatch(pattern);
    expect(text?.querySelectorAll("li")).toHaveLength(items);
  });

  it("a link opens the receipt as a dialog", async () => {
    const { getByRole } = await renderExisting("/privacy");
    const link = getByRole("link", { name: "What this site knows about you right now" });
    expect([link.getAttribute("href"), link.dataset.dialog]).toEqual(["/privacy/receipt", "legal/receipt"]);
  });

  it("the page says that accounts of minors are closed", async () => {
    const { container } = await renderExisting("/privacy");
    expect(container.textContent).toMatch(/under 18, the account is ended and the data deleted/);
  });

  it("the page names the partner only if one is configured", async () => {
    const configured = await renderExisting("/privacy", CONFIGURED);
    expect(configured.getByText("Example Partner (partner.example)")).toBeTruthy();
    cleanup();
    const { container } = await renderExisting("/privacy");
    expect([...container.querySelectorAll("dt")].map(({ textContent }) => textContent)).toEqual([
      "Operator",
      "Sign-up details go to",
    ]);
  });
});
