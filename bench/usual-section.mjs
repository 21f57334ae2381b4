// Sections of a usual stack: a page with texts and a query, and a form with a schema in a dialog, a select and an animation, or some of
// these.
import { stackSection } from "./shared-stack.mjs";

/** What a shell shares of the stack, as in its configuration. */
export const USUAL_STACK = [
  "@tanstack/react-query",
  "@radix-ui/react-dialog",
  "@radix-ui/react-select",
  "i18next",
  "motion/react",
  "react-hook-form",
  { name: "zod", omit: ["core", "locales", "toJSONSchema", "fromJSONSchema"] },
];

const DEPENDENCIES = {
  "@radix-ui/react-dialog": "^1.0.0",
  "@radix-ui/react-select": "^2.0.0",
  i18next: "^27.0.0",
  motion: "^14.0.0",
};

/** What Radix and Motion need of a policy. */
const CONFIG = { budget: { scriptKib: 200 }, policy: { styleAttributes: true, styleElements: true } };

const SIZES = `
function Sizes({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Select.Root value={value} onValueChange={onChange}>
      <Select.Trigger aria-label={t("size")}><Select.Value /><Select.Icon /></Select.Trigger>
      <Select.Portal>
        <Select.Content>
          <Select.Viewport>
            {Order.shape.size.options.map((size) => (
              <Select.Item key={size} value={size}><Select.ItemText>{t(size)}</Select.ItemText></Select.Item>
            ))}
          </Select.Viewport>
        </Select.Content>
      </Select.Portal>
    </Select.Root>
  );
}`;

const SIZE_FIELD = `<Controller name="size" control={control} render={({ field }) => <Sizes {...field} />} />`;

const COUNT = `<p>{data !== undefined && t("count", { count: data })}</p>`;

const ANIMATED = `
    <AnimatePresence>
      {data !== undefined && (
        <motion.p initial={{ opacity: 0 }} animate={{ opacity: 1 }} exit={{ opacity: 0 }}>{t("count", { count: data })}</motion.p>
      )}
    </AnimatePresence>`;

const DIALOG = `
      <Dialog.Root>
        <Dialog.Trigger>{t("open")}</Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Overlay />
          <Dialog.Content aria-describedby={undefined}>
            <Dialog.Title>{t("open")}</Dialog.Title>
            <OrderForm />
            <Dialog.Close>{t("close")}</Dialog.Close>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>`;

/** What a section can use besides texts and a query. @typedef {"animation" | "dialog" | "form" | "select"} Part */

/** @type {readonly Part[]} */
const ALL = ["animation", "dialog", "form", "select"];

/** What the form of a section asks besides an address and a size, by section: the schemas of the fields. @type {Record<string, Record<string, string>>} */
const FIELDS = {
  catalog: { note: "z.string().trim().max(200).optional()" },
  checkout: { postcode: "z.string().regex(/^[0-9]{4} ?[A-Z]{2}$/)", count: "z.coerce.number().int().min(1).max(9)" },
  account: { born: "z.iso.date()", newsletter: "z.boolean().optional()" },
};

/** @param {string} name */
const schemasOf = (name) => Object.entries(FIELDS[name] ?? {}).map(([field, schema]) => `${field}: ${schema},`);

/** @param {string} name */
const inputsOf = (name) =>
  Object.keys(FIELDS[name] ?? {}).map((field) => `<label>{t("${field}")} <input {...register("${field}")} /></label>`);

/** The form, in a dialog or on the page. @param {readonly Part[]} parts */
function orderOf(parts) {
  if (parts.includes("dialog")) return DIALOG;
  return parts.includes("form") ? "<OrderForm />" : "";
}

/** Compilers remove the imports that a section does not use. @param {string} name @param {readonly Part[]} [parts] */
export const usualSection = (name, parts = ALL) => ({
  ...stackSection(name, DEPENDENCIES, CONFIG),
  "src/texts.ts": `
import { createInstance } from "i18next";

const en = { translation: {
  title: "Orders of ${name}", open: "Order", count_one: "{{count}} piece in stock", count_other: "{{count}} pieces in stock",
  email: "E-mail", size: "Size", small: "Small", large: "Large", send: "Send", sent: "Sent to {{email}}", close: "Close",
} };
const de = { translation: {
  title: "Bestellungen bei ${name}", open: "Bestellen", count_one: "{{count}} Stück auf Lager", count_other: "{{count}} Stück auf Lager",
  email: "E-Mail", size: "Größe", small: "Klein", large: "Groß", send: "Senden", sent: "Gesendet an {{email}}", close: "Schließen",
} };

const texts = createInstance({ lng: "en", fallbackLng: "en", resources: { en, de }, initAsync: false });
void texts.init();

export const { t } = texts;`,
  "src/form.tsx": `
import * as Select from "@radix-ui/react-select";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Controller, useForm } from "react-hook-form";
import { z } from "zod";
import { t } from "./texts";

// Without it, zod tries whether it may compile code, which the policy blocks.
z.config({ jitless: true });

const Order = z.object({
  email: z.email(),
  size: z.enum(["small", "large"]),
  ${schemasOf(name).join("\n  ")}
});
type Order = z.infer<typeof Order>;

async function resolver(values: Order) {
  const { success, data, error } = Order.safeParse(values);
  if (success) return { values: data, errors: {} };
  const errors = error.issues.map(({ path, message }) => [String(path[0]), { type: "schema", message }]);
  return { values: {}, errors: Object.fromEntries(errors) };
}

${parts.includes("select") ? SIZES : ""}
export function OrderForm() {
  const client = useQueryClient();
  const { register, control, handleSubmit, formState } = useForm<Order>({ resolver, defaultValues: { email: "", size: "small" } });
  const order = useMutation({
    mutationFn: (values: Order) => fetch("/api/orders", { method: "POST", body: JSON.stringify(values) }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["stock"] }),
  });
  return (
    <form onSubmit={handleSubmit((values) => order.mutate(values))}>
      <label>{t("email")} <input {...register("email")} /></label>
      <em>{formState.errors.email?.message}</em>
      ${inputsOf(name).join("\n      ")}
      ${parts.includes("select") ? SIZE_FIELD : ""}
      <button disabled={order.isPending}>{t("send")}</button>
      {order.isSuccess && <output>{t("sent", { email: order.variables.email })}</output>}
    </form>
  );
}`,
  "src/page.tsx": `
import { definePage, Link } from "@colonnade/kit";
import * as Dialog from "@radix-ui/react-dialog";
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { AnimatePresence, motion } from "motion/react";
import { useState } from "react";
import { OrderForm } from "./form";
import { t } from "./texts";

function Stock() {
  const { data } = useQuery({ queryKey: ["stock"], queryFn: async () => (await fetch("/api/stock")).json() as Promise<number> });
  return (
    ${parts.includes("animation") ? ANIMATED : COUNT}
  );
}

function Page() {
  const [client] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={client}>
      <h1>{t("title")}</h1>
      <Stock />
      ${orderOf(parts)}
      <Link to="/${name}/about">About</Link>
    </QueryClientProvider>
  );
}

export const page = definePage({
  data: () => null,
  head: () => ({ title: t("title"), description: t("title"), canonical: "/${name}" }),
  Component: Page,
});`,
});
