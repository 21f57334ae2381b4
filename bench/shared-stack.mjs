// Sections of a usual stack: a query, a schema and a form on one page each.
import { sharingSection } from "../tests/support/generated-sections.mjs";

/** The packages, as in a shell's configuration. zod is three times as large with all that sections hardly use. */
export const STACK = [
  "@tanstack/react-query",
  "react-hook-form",
  { name: "zod", omit: ["core", "locales", "toJSONSchema", "fromJSONSchema"] },
];

/** The ranges in the sections' package.json. */
const RANGES = { "@tanstack/react-query": "^5.0.0", "react-hook-form": "^7.0.0", zod: "^4.0.0" };

/**
 * Returns the files of a section with the pages `/<name>`, which uses the packages, and `/<name>/about`, which does not.
 *
 * @param {string} name
 * @param {Record<string, string>} [ranges] of other packages, or other ranges
 * @param {object} [config] its configuration besides the name and the entry
 */
export const stackSection = (name, ranges, config = { budget: { scriptKib: 100 } }) =>
  sharingSection(name, { ...RANGES, ...ranges }, page(name), config);

/** @param {string} name */
const page = (name) => `
import { definePage, Link } from "@colonnade/kit";
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { z } from "zod";

// Without it, zod tries whether it may compile code, which the policy blocks.
z.config({ jitless: true });

const Order = z.object({ email: z.email("Not an address"), count: z.coerce.number().int().min(1).max(9) });

function Form() {
  const { data = 5 } = useQuery({ queryKey: ["stock"], queryFn: () => Promise.resolve(7) });
  const [message, setMessage] = useState("");
  const { register, handleSubmit } = useForm({ defaultValues: { email: "", count: "1" } });
  const submit = handleSubmit((values) => {
    const order = Order.safeParse(values);
    setMessage(order.success ? order.data.count + " for " + order.data.email : order.error.issues[0].message);
  });
  return (
    <form onSubmit={submit}>
      <p>In stock: {data}</p>
      <label>E-mail <input {...register("email")} /></label>
      <label>Count <input {...register("count")} /></label>
      <button>Order</button>
      <output>{message}</output>
    </form>
  );
}

function Page() {
  const [client] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={client}>
      <h1>Order at ${name}</h1>
      <Form />
      <Link to="/${name}/about">About</Link>
    </QueryClientProvider>
  );
}

export const page = definePage({
  data: () => z.string().parse("${name}"),
  head: () => ({ title: "Order", description: "Order at ${name}", canonical: "/${name}" }),
  Component: Page,
});`;
