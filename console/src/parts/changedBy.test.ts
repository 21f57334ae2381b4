import { expect, test } from "vitest";

import type { Change, Deployment } from "../openapi.js";
import { changedBy } from "./changedBy.js";

const deployment = (
  number: number,
  releases: Deployment["releases"],
  changes: Partial<Deployment> = {},
): Deployment => ({
  number,
  releases,
  createdAt: "2030-01-01T12:00:00Z",
  by: "team",
  reason: null,
  ...changes,
});
const change = (changes: Partial<Change>): Change => changes as Change;

const FORWARD = { legal: { from: "1.0.0", to: "2.0.0" } };
const BACKWARD = { legal: { from: "2.0.0", to: "1.0.0" } };

test.each([
  ["a deploy", [change({ action: "deploy", live: 5, before: 4, sections: FORWARD })]],
  [
    "an aborted rollout",
    [
      change({ action: "abort", live: 4, before: 4, candidate: 5, sections: BACKWARD }),
      change({ action: "rollout", live: 4, before: 4, candidate: 5, sections: FORWARD }),
    ],
  ],
  [
    "a promotion beside other changes",
    [change({ action: "promote", live: 5, before: 4, candidate: 3, sections: FORWARD })],
  ],
  [
    "a deployment that another rollback replaced",
    [
      change({ action: "rollback", live: 6, before: 5, sections: BACKWARD }),
      change({ action: "deploy", live: 5, before: 4, sections: FORWARD }),
    ],
  ],
])("changedBy has what the history says of %s", (_, changes) => {
  expect(changedBy(deployment(5, { legal: "2.0.0" }), changes)).toEqual(FORWARD);
});

test("changedBy is undefined without an entry", () => {
  const preview = change({ action: "preview", live: 9, before: 9, candidate: 4, sections: BACKWARD });
  expect(changedBy(deployment(4, { legal: "2.0.0" }), [preview])).toBeUndefined();
});
