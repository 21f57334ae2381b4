import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { ConsoleProvider, type Console } from "../data.js";
import { Deployments } from "./Deployments.js";

afterEach(cleanup);

const deployment = (number: number, legal: string, reason: string | null): object => ({
  number,
  releases: { legal, events: "1.0.0" },
  createdAt: "2030-01-01T12:00:00Z",
  by: "team",
  reason,
});

test("Deployments shows what each changed, why, when and by whom", () => {
  const value: Partial<Console> = {
    deployments: {
      live: 3,
      deployments: [deployment(1, "1.0.0", null), deployment(2, "2.0.0", "a typo"), deployment(3, "2.0.0", null)],
      next: null,
    } as unknown as Console["deployments"],
    rollouts: [],
    sections: [],
    history: {
      entries: [
        { action: "rollback", live: 3, before: 2, sections: {} },
        { action: "deploy", live: 2, before: 1, sections: { legal: { from: "1.0.0", to: "2.0.0" } } },
      ],
    } as unknown as Console["history"],
    session: { token: "team", permissions: [], expiresAt: null },
    can: () => false,
  };
  render(
    <ConsoleProvider value={value as Console}>
      <Deployments />
    </ConsoleProvider>,
  );
  const when = /just now, 2030-01-01 12:00 UTC.* by team/.source;
  const [, ...rows] = screen.getAllByRole("row");
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(new RegExp(`^3 liveThe same releases\\.${when}$`)),
    expect.stringMatching(new RegExp(`^2 legal changes from 1\\.0\\.0 to 2\\.0\\.0.*“a typo”${when}$`)),
    expect.stringMatching(new RegExp(`^1 2 releases${when}$`)),
  ]);
});
