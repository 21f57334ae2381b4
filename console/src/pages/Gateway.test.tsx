import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { ConsoleProvider, type Console } from "../data.js";
import { Gateway } from "./Gateway.js";

afterEach(cleanup);

function show(leftOutExtensions: readonly string[]): void {
  const gateway = {
    ...{ status: "ready", problems: [], version: "1.0.0", startedAt: "2030-01-01T12:00:00Z", revision: 1, streams: 0 },
    ...{ unavailable: [], settingProblems: [], leftOutExtensions },
  };
  const session = { token: "tests", actions: [], sections: [], expiresAt: null };
  render(
    <ConsoleProvider value={{ gateway, session, traffic: { series: [] } } as unknown as Console}>
      <Gateway />
    </ConsoleProvider>,
  );
}

test("each extension that no page shows is listed", () => {
  const texts = ["events@1.2.0 fills `directory/aside@2`", "`shell/search@1` shows 1 extension"];
  show(texts);
  const heading = screen.getByText("Extensions are not shown");
  expect(heading.parentElement?.querySelector("ul")?.children).toHaveLength(2);
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(texts);
});

test("without such extensions, there is no notice", () => {
  show([]);
  expect(screen.getByText("Ready")).toBeTruthy();
  expect(screen.queryByText("Extensions are not shown")).toBeNull();
});
