import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const SECTION = `
import { defineSection } from "@colonnade/kit";

export default defineSection({
  name: "hello",
  contract: 1,
  pages: {
    "/hello": () => import("./pages/list"),
    "/hello/thanks": () => import("./pages/thanks"),
    "/hello/lazy": () => import("./pages/lazy"),
    "/hello/:id": () => import("./pages/event"),
  },
});
`;

const LIST = `
import { Button, Field } from "@colonnade/design";
import { definePage, Link, query, useNavigate } from "@colonnade/kit";
import { MutationForm, SubmitButton, useMutation, useQuery } from "@colonnade/kit/data";

function Visitor() {
  const me = useQuery("/api/events/me");
  return <p>{me.status === "success" ? "Visitor " + (me.value as { cookie: string }).cookie : "Visitor " + me.status}</p>;
}

function Like() {
  const navigate = useNavigate();
  const { send } = useMutation("/api/events/reserve", { onSuccess: () => navigate("/hello", { replace: true }) });
  return <Button onClick={() => send({ name: "Ada" })}>Like</Button>;
}

// A Standard Schema.
const validate = (value: unknown) =>
  Array.isArray(value) ? { value: value as string[] } : { issues: [{ message: "expected an array" }] };
const List = { "~standard": { version: 1 as const, vendor: "test", validate } };

export const page = definePage({
  queries: () => ({ list: query("/api/events/list", List) }),
  data: ({ results: { list } }) => (list.ok ? list.value : null),
  paths: () => ["/hello"],
  head: () => ({ title: "Events", description: "All events", canonical: "/hello" }),
  Component: ({ data }) => (
    <div className="page">
      <h1>Events</h1>
      <ul>{data ? data.map((id) => <li key={id}><Link to={"/hello/" + id}>Event {id}</Link></li>) : <li>No list</li>}</ul>
      {!data && <Link to="/hello">Try again</Link>}
      <Link to="/hello/old">Old</Link> <Link to="/hello/unknown">Unknown</Link>{" "}
      <Link to="/hello/unserved">Unserved</Link>
      <Visitor />
      <Like />
      <MutationForm action="/api/events/reserve" success={(value) => <p>Thanks, {(value as { name: string }).name}.</p>}>
        <Field label="Name" name="name" required />
        <SubmitButton>Reserve</SubmitButton>
      </MutationForm>
      <form action="/api/events/search">
        <Field label="Number" name="q" />
        <Button type="submit">Search</Button>
      </form>
    </div>
  ),
});
`;

const EVENT = `
import { definePage, Link, notFound, redirect } from "@colonnade/kit";

export const page = definePage({
  // No upstream serves the other path.
  queries: ({ params: { id = "" } }) => ({
    event: (id === "unserved" ? "/api/other/" : "/api/events/event/") + encodeURIComponent(id),
  }),
  data: ({ params, results: { event } }) => {
    if (!event.ok) return event.status === 404 ? notFound("Event not found") : { title: "Unavailable" };
    const { id, title } = event.value as { id: string; title: string };
    return id === params.id ? { title } : redirect("/hello/" + id);
  },
  head: ({ data }) => ({ title: data.title, description: "An event", canonical: "/hello" }),
  Component: ({ data }) => (
    <div className="page">
      <h1>{data.title}</h1>
      <Link to="/hello">All events</Link>
    </div>
  ),
});
`;

const THANKS = `
import { definePage } from "@colonnade/kit";

export const page = definePage({
  data: () => null,
  head: () => ({ title: "Thanks", description: "Thanks", canonical: "/hello/thanks" }),
  Component: () => <div className="page"><h1>Thanks</h1></div>,
});
`;

const LAZY = `
import { definePage } from "@colonnade/kit";
import { lazy, Suspense, use } from "react";

const Chart = lazy(() => import("./chart"));
const inBrowser = typeof document === "object";
const clock = inBrowser ? Promise.resolve("ticking") : new Promise<string>(() => undefined);

function Clock() {
  return <p>The clock is {use(clock)}.</p>;
}

export const page = definePage({
  data: () => undefined,
  paths: () => ["/hello/lazy"],
  head: () => ({ title: "Lazy", description: "Two Suspense boundaries", canonical: "/hello/lazy" }),
  Component: () => (
    <div className="page">
      <h1>Lazy</h1>
      <Suspense fallback={<p>Loading the chart</p>}><Chart /></Suspense>
      <Suspense fallback={<p>Loading the clock</p>}><Clock /></Suspense>
    </div>
  ),
});
`;

const CHART = `
import { useState } from "react";

import css from "./chart.module.css";

export default function Chart() {
  const [count, setCount] = useState(0);
  return <button className={css.chart} onClick={() => setCount(count + 1)}>{"Chart, clicked " + count}</button>;
}
`;

/** Replaces the pages of a new section "hello" by pages with queries, forms, data of the visitor and Suspense boundaries. */
export async function writeLiveSection(folder: string): Promise<void> {
  const source = path.join(folder, "src");
  await mkdir(path.join(source, "pages"), { recursive: true });
  await writeFile(path.join(source, "section.ts"), SECTION);
  for (const [name, text] of Object.entries({ list: LIST, event: EVENT, thanks: THANKS, lazy: LAZY, chart: CHART }))
    await writeFile(path.join(source, "pages", `${name}.tsx`), text);
  await writeFile(path.join(source, "pages/chart.module.css"), ".chart { color: rgb(1, 2, 3); }\n");
}
