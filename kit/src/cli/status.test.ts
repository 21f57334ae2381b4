import { beforeAll, expect, test } from "vitest";

import { answering } from "../../fixtures/admin.js";
import { admin, runSection } from "../../fixtures/command.js";
import { temporaryFolder } from "../../fixtures/temporary.js";

const SECTIONS = [
  {
    name: "directory",
    kind: "section",
    live: "1.0.0",
    candidate: "1.1.0-dev.2ab4c6d8e0f2",
    releases: [
      { version: "1.1.0-dev.2ab4c6d8e0f2", publishedAt: "2026-01-31T10:02:03Z", by: "directory team" },
      { version: "1.0.0", publishedAt: "2026-01-30T23:59:59.5+00:00", by: "directory team" },
    ],
  },
  {
    name: "hello",
    kind: "section",
    live: null,
    candidate: null,
    releases: [{ version: "0.1.0", publishedAt: "2026-01-01T01:00:00+02:00", by: "hello team" }],
  },
];
const ROLLOUT = { deployment: 13, percent: 10, startedAt: "2026-01-31T10:02:03Z" };

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

function answerWith(deployments: object, sections: object): void {
  admin.answers = {
    "GET /api/v1/deployments": answering(deployments),
    "GET /api/v1/sections": answering(sections),
  };
}

test("shows what is live, the candidate, and each section's releases", async () => {
  answerWith({ live: 12, rollout: ROLLOUT, deployments: [] }, SECTIONS);
  expect(await runSection(folder, ["status"])).toEqual({
    code: 0,
    out: `deployment 12 is live; deployment 13 is the candidate, for 10% of visitors

section    live   candidate               newest release          published
directory  1.0.0  1.1.0-dev.2ab4c6d8e0f2  1.1.0-dev.2ab4c6d8e0f2  2026-01-31 10:02 UTC
hello      -      -                       0.1.0                   2025-12-31 23:00 UTC
`,
    err: "",
  });
});

test("without a rollout names no candidate", async () => {
  answerWith({ live: 12, rollout: null, deployments: [] }, []);
  expect((await runSection(folder, ["status"])).out).toBe("deployment 12 is live\n");
});

test("of a new gateway says that nothing is live", async () => {
  answerWith({ live: null, rollout: null, deployments: [] }, []);
  expect((await runSection(folder, ["status"])).out).toBe("no deployment is live\n");
});

test("--json prints both answers as one value", async () => {
  answerWith({ live: 12, rollout: ROLLOUT, deployments: [] }, SECTIONS);
  const { out } = await runSection(folder, ["status", "--json"]);
  expect(JSON.parse(out)).toEqual({ live: 12, rollout: ROLLOUT, sections: SECTIONS });
});
