// Runs `section check` on pages with queries.
import { beforeAll, expect, test } from "vitest";

import { runCompiled } from "../../fixtures/command.js";
import { labSection, pageSource } from "../../fixtures/lab.js";
import type { ProblemCode } from "./codes.js";
import type { Problem } from "./problem.js";

interface Case {
  /** Members of the page. */
  readonly fields: string;
  readonly imports?: string;
  readonly pattern?: string;
  readonly problems: readonly (readonly [ProblemCode, string, position: string])[];
}

const nine = Array.from("123456789", (name) => `q${name}: "/api/x"`).join();
const withTitle = "Component: ({ data }: { data: unknown }) => <h1>{`Lab ${String(data)}`}</h1>";

const PAGES: Readonly<Record<string, Case>> = {
  list: {
    fields:
      "queries: () => ({ events: '/api/events?page=1', venue: query('/api/venue', schema) }),\n" +
      `data: ({ results }) => results.events.ok && results.venue.ok ? 'all' : 'none', ${withTitle}`,
    imports:
      'import { query } from "@colonnade/kit"; ' +
      'const schema = { "~standard": { version: 1, vendor: "lab", validate: (value: unknown) => ({ value }) } } as const;',
    problems: [],
  },
  detail: {
    fields:
      "paths: () => ['/lab/detail/1'], queries: ({ params }) => ({ event: `/api/events/${params.id}` }),\n" +
      `data: ({ results: { event } }) => event.ok || event.status !== 404 ? String(event.ok) : notFound(), ${withTitle}`,
    imports: 'import { notFound } from "@colonnade/kit";',
    pattern: "/lab/detail/:id",
    problems: [],
  },
  ignoresUnknown: {
    fields: `queries: ({ params }) => ({ event: \`/api/events/\${params.id}\` }),\ndata: ({ results: { event } }) => String(event.ok), ${withTitle}`,
    pattern: "/lab/ignoresUnknown/:id",
    problems: [
      [
        "COL114",
        "data() of /lab/ignoresUnknown/no-such-id (page /lab/ignoresUnknown/:id) returns data; expected notFound(), because the params are made up",
        "5:7",
      ],
    ],
  },
  outside: {
    fields: "queries: () => ({ events: 'https://api.example/events' })",
    problems: [
      [
        "COL160",
        'queries() of PAGE has the path "https://api.example/events" of the query "events"; expected a path below /api/, percent-encoded',
        "4:10",
      ],
    ],
  },
  many: {
    fields: `queries: () => ({ ${nine} })`,
    problems: [["COL160", "queries() of PAGE has 9 queries; expected at most 8", "4:10"]],
  },
  unstable: {
    fields: "queries: () => ({ events: `/api/events?page=${++count}` })",
    imports: "let count = 0;",
    problems: [["COL161", "queries() of PAGE returns other paths when it runs again", "4:10"]],
  },
  clock: {
    fields: "queries: () => ({ events: `/api/events?now=${Date.now()}` })",
    problems: [["COL101", "the section uses Date.now() on the server", "4:51"]],
  },
  unprepared: {
    fields: "queries: () => ({ events: '/api/events' }),\ndata: ({ results }) => (results.events as any).value.length",
    problems: [
      [
        "COL162",
        "data() of PAGE with failed queries threw TypeError: Cannot read properties of undefined (reading 'length')",
        "5:54",
      ],
    ],
  },
  unpreparedComponent: {
    fields:
      "queries: () => ({ events: '/api/events' }),\ndata: ({ results }) => ({ ...results }),\n" +
      "Component: ({ data }: any) => <h1>{data.events.value.title}</h1>",
    problems: [
      [
        "COL162",
        "rendering PAGE with failed queries threw TypeError: Cannot read properties of undefined (reading 'title')",
        "6:54",
      ],
    ],
  },
  missing: {
    fields: "queries: () => ({ event: '/api/event' }),\ndata: ({ results }) => results.event.ok ? null : notFound()",
    imports: 'import { notFound } from "@colonnade/kit";',
    problems: [["COL162", 'data() of PAGE is notFound("Page not found") if its queries fail with status 503', "5:7"]],
  },
  moved: {
    fields: "paths: () => ['/lab/moved'], data: () => redirect('/elsewhere')",
    imports: 'import { redirect } from "@colonnade/kit";',
    problems: [
      ["COL100", 'paths() of the page "/lab/moved" returns /lab/moved, but its data() redirects to /elsewhere', "4:36"],
    ],
  },
  away: {
    fields: "data: () => redirect('//other.example')",
    imports: 'import { redirect } from "@colonnade/kit";',
    problems: [["COL110", 'data() of PAGE threw Error: redirect("//other.example"): not a path of this site', "4:21"]],
  },
};

let problems: readonly Problem[];
beforeAll(async () => {
  const sources: Record<string, string> = {};
  const patterns: Record<string, string> = {};
  for (const [name, { fields, imports, pattern }] of Object.entries(PAGES)) {
    sources[name] = pageSource(fields, imports);
    if (pattern !== undefined) patterns[name] = pattern;
  }
  const folder = await labSection(sources, patterns);
  const { out, err } = await runCompiled(folder, ["check", "--json"]);
  if (out === "") throw new Error(err);
  ({ problems } = JSON.parse(out) as { problems: Problem[] });
});

test.each(Object.entries(PAGES))("%s", (name, { problems: expected }) => {
  const found = problems.filter(({ message, location = "" }) =>
    new RegExp(`/lab/${name}\\b|/${name}\\.tsx:`).test(`${message} ${location}`),
  );
  expect(found.map(({ code, message, location }) => [code, message, location])).toEqual(
    expected.map(([code, message, position]) => [
      code,
      message.replace("PAGE", `/lab/${name} (page /lab/${name})`),
      `src/pages/${name}.tsx:${position}`,
    ]),
  );
});
