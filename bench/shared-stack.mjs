// A shell that shares packages, and sections of a usual stack: a query, a schema and a form on one page each.

/** The packages, as in a shell's configuration. zod is three times as large with all that sections hardly use. */
export const STACK = [
  "@tanstack/react-query",
  "react-hook-form",
  { name: "zod", omit: ["core", "locales", "toJSONSchema", "fromJSONSchema"] },
];

/** The ranges in the sections' package.json. */
const RANGES = { "@tanstack/react-query": "^5.0.0", "react-hook-form": "^7.0.0", zod: "^4.0.0" };

/** @param {object} dependencies */
const manifest = (dependencies) => JSON.stringify({ version: "1.0.0", private: true, type: "module", dependencies });

/**
 * Returns the files of a shell with plain parts.
 *
 * @param {readonly unknown[]} shared its packages, as in its configuration
 */
export const sharingShell = (shared) => ({
  "package.json": manifest({}),
  "section.config.js": `export default ${JSON.stringify({ name: "shell", kind: "shell", entry: "./src/shell.tsx", shared })};`,
  "src/shell.tsx": `
import { createShell } from "@colonnade/shell";
import { plain } from "@colonnade/shell/plain";
export default createShell(plain);`,
});

/**
 * Returns the files of a section with the pages \`/<name>\`, which uses the packages, and \`/<name>/about\`, which does not.
 *
 * @param {string} name
 * @param {Record<string, string>} [ranges] of other packages, or other ranges
 * @param {object} [config] its configuration besides the name and the entry
 */
export const stackSection = (name, ranges, config = { budget: { scriptKib: 100 } }) => ({
  "package.json": manifest({ ...RANGES, ...ranges }),
  "section.config.js": `export default ${JSON.stringify({ name, entry: "./src/section.ts", ...config })};`,
  "src/section.ts": `
import { defineSection } from "@colonnade/kit";
export default defineSection({
  name: "${name}",
  contract: 1,
  pages: { "/${name}": () => import("./page"), "/${name}/about": () => import("./about") },
});`,
  "src/about.tsx": `
import { definePage, Link } from "@colonnade/kit";
export const page = definePage({
  data: () => null,
  head: () => ({ title: "About", description: "About ${name}", canonical: "/${name}/about" }),
  Component: () => <><h1>About ${name}</h1><Link to="/${name}">Order</Link></>,
});`,
  "src/page.tsx": `
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
});`,
});
