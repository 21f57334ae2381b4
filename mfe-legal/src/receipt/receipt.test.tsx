import { recordSentForm } from "@colonnade/design/tab";
import { TEST_FACTS } from "@colonnade/design/testing";
import { defineChannel } from "@colonnade/kit/extensions";
import { inShell } from "@colonnade/kit/testing";
import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { renderExisting } from "../testing/page";
import { Receipt } from "./Receipt";

const PATH = "/privacy/receipt";
const replace = vi.fn();
const reload = vi.fn();

beforeEach(() => {
  sessionStorage.clear();
  vi.stubGlobal("location", { host: "site.example", pathname: PATH, replace, reload });
  vi.stubGlobal("performance", {
    timeOrigin: Date.parse("2026-01-31T16:00:00Z"),
    getEntriesByType: () => [
      { name: "https://site.example/a.js", startTime: 60_000 },
      { name: "https://other.example/b.png", startTime: 120_000 },
      { name: "https://site.example/c.js", startTime: 30_000 },
    ],
  });
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.clearAllMocks();
  document.body.hidden = false;
});

/** The rows: what each is about, and its text. */
function rows(): Record<string, string> {
  return Object.fromEntries(
    [...document.querySelectorAll("dl > div")].map((row) => [
      row.querySelector("dt")?.textContent ?? "",
      [...row.querySelectorAll("dd > p, li")].map(({ textContent }) => textContent.replaceAll(/\s+/gu, " ")).join("; "),
    ]),
  );
}

function keepThings(): void {
  sessionStorage.setItem("ads:/city/Texas/Austin", "[1]");
  sessionStorage.setItem("ads:/city/Hawaii/%E2%80%98Ewa%20Beach", "[1]");
  sessionStorage.setItem("signed-up", "1");
  sessionStorage.setItem("other", "secret");
  recordSentForm("accounts.example.org", ["email", "password", "age"])("accepted");
}

it("an empty receipt says so, and names the hosts that were asked", async () => {
  await renderExisting(PATH);
  const { "Requests for pages and files": asked, ...others } = rows();
  expect(others).toEqual({
    "Ad lists of cities": "Nothing yet",
    "Sign-up": "Nothing yet",
    "Sign-up forms": "Nothing yet",
  });
  expect(asked).toMatch(/^To site\.example \(this site\), last .*; To other\.example, last .*$/);
  const times = [...document.querySelectorAll("dl time")].map((time) => time.getAttribute("datetime"));
  expect(times).toEqual(["2026-01-31T16:01:00.000Z", "2026-01-31T16:02:00.000Z"]);
});

it("a receipt lists what the tab keeps and has sent, without values", async () => {
  keepThings();
  await renderExisting(PATH);
  expect(rows()).toMatchObject({
    "Ad lists of cities": "‘Ewa Beach, Hawaii; Austin, Texas",
    "Sign-up": "A mark that a sign-up worked. The next page that says so removes it.; The sign-up forms listed below",
    "Not from this version of the site": "other",
    "Sign-up forms": expect.stringMatching(
      /^\w{3} \d+, \d+:\d\d [AP]M, through this site to accounts\.example\.org: email, password, age$/,
    ) as unknown,
  });
  expect(screen.getByRole("link", { name: "Austin, Texas" }).getAttribute("href")).toBe("/city/Texas/Austin");
  expect(document.body.textContent).not.toContain("secret");
});

it("what was refused, and what may not have arrived, is marked", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  recordSentForm("accounts.example.org", ["email"])("stopped");
  vi.setSystemTime(Date.now() + 1);
  recordSentForm("accounts.example.org", ["email"])("refused");
  vi.setSystemTime(Date.now() + 1);
  recordSentForm("accounts.example.org", ["age"]);
  vi.useRealTimers();
  await renderExisting(PATH);
  const [stopped, refused, unknown] = rows()["Sign-up forms"]?.split("; ") ?? [];
  expect(stopped).toMatch(/, to this site, for accounts\.example\.org: email\. Refused by this site, not passed on\.$/);
  expect(refused).toMatch(/, through this site to accounts\.example\.org: email\. It was refused\.$/);
  expect(unknown).toMatch(/, through this site to accounts\.example\.org: age\. It may not have arrived\.$/);
});

it("a receipt is read again when the tab changes, and when it is shown again", async () => {
  await renderExisting(PATH);
  act(() => {
    recordSentForm("accounts.example.org", ["email"]);
  });
  expect(rows()["Sign-up forms"]).toContain("accounts.example.org");
  sessionStorage.clear();
  fireEvent(document, new Event("visibilitychange"));
  expect(rows()["Sign-up forms"]).toBe("Nothing yet");
});

it("what a closed form keeps in memory is named", async () => {
  const typed = defineChannel<readonly string[]>("signup/typed");
  await renderExisting(PATH);
  act(() => {
    typed.publish(["email", "age"]);
  });
  expect(rows()["Sign-up"]).toBe("In the page’s memory, as typed in the form: your email and age");
  act(() => {
    typed.publish([]);
  });
  expect(rows()["Sign-up"]).toBe("Nothing yet");
});

it("a list of requests that may be incomplete names no last time", async () => {
  const listed = Array.from({ length: 250 }, () => ({ name: "https://site.example/a.js", startTime: 1 }));
  vi.stubGlobal("performance", { timeOrigin: 0, getEntriesByType: () => listed });
  await renderExisting(PATH);
  expect(rows()["Requests for pages and files"]).toMatch(/^To site\.example \(this site\), at least until /);
});

it.each(["[", '["x"]', '[{"at":"soon","host":"a","fields":[]}]', '[{"at":"2026-01-31","host":"a","fields":[1]}]'])(
  "an entry %s of sent forms is ignored",
  async (entry) => {
    sessionStorage.setItem("sent", entry);
    await renderExisting(PATH);
    expect(rows()["Sign-up forms"]).toBe("Nothing yet");
  },
);

it("one click clears all but that sign-up is closed, and leaves", async () => {
  keepThings();
  sessionStorage.setItem("signup", "closed");
  await renderExisting(PATH);
  expect(rows()["Sign-up"]).toContain("The word “closed”");
  expect(screen.getByText(/^One thing stays: the word “closed\.”/).textContent).toContain("holds no age");
  await userEvent.click(screen.getByRole("link", { name: "Clear it and leave" }));
  expect(Object.entries(sessionStorage)).toEqual([["signup", "closed"]]);
  expect(replace).toHaveBeenCalledExactlyOnceWith(TEST_FACTS.exit);
});

it.each([
  [PATH, reload, []],
  ["/", replace, [PATH]],
] as const)("without a site to leave to, clearing on %s stays, and says so", async (pathname, stay, target) => {
  vi.stubGlobal("location", { host: "site.example", pathname, replace, reload });
  keepThings();
  await renderExisting(PATH, { site: { facts: { ...TEST_FACTS, exit: "" } } });
  expect(screen.getByText(/^“Clear it” stays on this site/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Clear it" }));
  expect(sessionStorage.length).toBe(0);
  expect(stay).toHaveBeenCalledExactlyOnceWith(...target);
});

it("without JavaScript nothing says that it clears", () => {
  keepThings();
  const html = renderToString(inShell(<Receipt heading="h2" />, { site: { facts: TEST_FACTS } }));
  expect(html).toContain("Leave this site");
  expect(html).not.toMatch(/Clear it|Austin|accounts\.example/);
});

it("the page says what each thing is, and is not indexed", async () => {
  const { head } = await renderExisting(PATH, { site: { logsClientIp: true } });
  expect([head.robots, head.canonical, head.title]).toEqual([
    "noindex",
    PATH,
    "What this site knows about you right now - Test Site",
  ]);
  const main = within(document.body);
  expect(main.getByText(/Which sample ads were drawn for a city is kept in session storage/)).toBeTruthy();
  expect(main.getByText(/It has your network address\. The operator has set this rule: logs are kept/)).toBeTruthy();
  expect(main.getByText(/Nothing, because sign-up isn’t set up/)).toBeTruthy();
  expect(document.body.innerHTML).not.toMatch(/[{}]|site-fact|undefined/);
});
