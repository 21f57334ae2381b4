// The packages that the page docs/compatibility.md names. Each has a page of usual code in `pages`.
import { expect as baseExpect, type Page } from "@playwright/test";
import type { ContentPolicy } from "@colonnade/cli";

// The test limits the time of an operation.
const expect = baseExpect.configure({ timeout: 60_000 });

/** One package, or a few that are used together. */
export interface Entry {
  /** The name of the file in `pages`. */
  readonly id: string;
  readonly name: string;
  /** As in package.json. */
  readonly packages: readonly string[];
  /** What the HTML of the gateway contains. Absent if only the browser renders the component. */
  readonly html?: string;
  /** What a visitor does, and what the page shows then. */
  readonly operate: (page: Page) => Promise<void>;
  /** The strictest policy under which it works and the browser reports nothing. Default: the strict policy. */
  readonly policy?: ContentPolicy;
  /** Whether the strict policy blocks only what the operation does not need. */
  readonly worksWithReports?: true;
  /** What a section has to do, in Markdown. */
  readonly note?: string;
  /** Whether `make test` visits it. Its packages are dependencies of the tests. */
  readonly inShortRun?: true;
}

/** Clicks a button, and expects that it has another name then. */
const clickAndExpect =
  (before: string, after: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: before }).click();
    await expect(page.getByRole("button", { name: after })).toBeVisible();
  };

/** Opens and closes a dialog. */
const openDialog =
  (close: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: "Open the dialog" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByText("Order", { exact: true })).toBeVisible();
    await dialog.getByRole("button", { name: close }).click();
    await expect(dialog).toBeHidden();
  };

/** Selects an option of a list box that a button opens. */
async function selectOption(page: Page, label: string, option: string): Promise<void> {
  const select = page.getByRole("combobox", { name: label });
  await select.click();
  await page.getByRole("option", { name: option }).click();
  await expect(select).toHaveText(option);
}

/** Sends a form with a name that is too short, then with one that is not. */
async function sendForm(page: Page): Promise<void> {
  const [name, send] = [page.getByLabel("Name"), page.getByRole("button", { name: "Send" })];
  await name.fill("A");
  await send.click();
  await expect(page.getByText("Too short")).toBeVisible();
  await name.fill("Ada");
  await expect(page.getByText("Too short")).toBeHidden();
  await send.click();
  await expect(page.locator("main output")).toHaveText("Ada");
}

/** Types a name that a schema accepts. */
async function validateName(page: Page): Promise<void> {
  await page.getByLabel("Name").fill("Ada");
  await expect(page.locator("main output")).toHaveText("Valid");
}

/** Clicks on a button that changes a style which a library has created. */
async function paint(page: Page): Promise<void> {
  await expect(page.getByText("A box")).toHaveCSS("color", "rgb(4, 5, 6)");
  await page.getByRole("button", { name: "Paint" }).click();
  await expect(page.getByText("A box")).toHaveCSS("color", "rgb(1, 2, 3)");
}

/** Requests a file of this origin. */
async function loadFile(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Load" }).click();
  await expect(page.locator("main pre")).toContainText("User-agent");
}

/** The hash of the empty text: permits a style element that a script fills rule by rule. */
export const EMPTY_STYLE = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

/** What a run found for an entry. */
export interface Found {
  readonly entry: Entry;
  /** The strictest policy under which it works and the browser reports nothing. Undefined if it works under no policy. */
  readonly policy: ContentPolicy | undefined;
  /** Whether its operation succeeds under the strict policy, though the browser reports what it blocks. */
  readonly worksWithReports: boolean;
}

/** What the table says about an entry. */
export function expectedOf(entry: Entry): Found {
  const { policy = {}, worksWithReports = false } = entry;
  return { entry, policy, worksWithReports };
}

export const ENTRIES: readonly Entry[] = [
  {
    id: "radix",
    name: "Radix UI",
    packages: ["@radix-ui/react-dialog", "@radix-ui/react-select"],
    html: "Open the dialog",
    async operate(page) {
      await selectOption(page, "Fruit", "Pear");
      await page.getByRole("button", { name: "Open the dialog" }).click();
      await selectOption(page, "Size", "Large");
      const dialog = page.getByRole("dialog", { name: "Order" });
      await dialog.getByRole("button", { name: "Close" }).click();
      await expect(dialog).toBeHidden();
    },
    inShortRun: true,
    policy: { styleAttributes: true, styleElements: true },
    worksWithReports: true,
  },
  {
    id: "headless-ui",
    name: "Headless UI",
    packages: ["@headlessui/react"],
    html: "Apple",
    async operate(page) {
      await page.getByRole("button", { name: "Fruit" }).click();
      await page.getByRole("option", { name: "Pear" }).click();
      await expect(page.getByRole("button", { name: "Fruit" })).toHaveText("Pear");
      await page.getByRole("button", { name: "Order" }).click();
      const dialog = page.getByRole("dialog", { name: "Your order" });
      await dialog.getByRole("button", { name: "Close" }).click();
      await expect(dialog).toBeHidden();
    },
    policy: { styleAttributes: true },
    worksWithReports: true,
  },
  {
    id: "react-aria",
    name: "React Aria",
    packages: ["react-aria-components"],
    async operate(page) {
      await page.getByRole("button", { name: "Fruit" }).click();
      await page.getByRole("option", { name: "Pear" }).click();
      await expect(page.getByRole("button", { name: "Fruit" })).toContainText("Pear");
    },
    policy: { styleElements: true },
    worksWithReports: true,
    note: "It calls `Math.random()` while it loads (`COL102`).",
  },
  {
    id: "mui",
    name: "MUI",
    packages: ["@mui/material", "@emotion/react", "@emotion/styled"],
    html: "Accept the terms",
    async operate(page) {
      await page.getByLabel("Accept the terms").check();
      await page.getByRole("button", { name: "Send" }).click();
      await expect(page.getByRole("alert")).toHaveText("Sent");
      await expect(page.getByRole("alert")).toHaveCSS("display", "flex");
    },
    policy: { styleElements: true },
    inShortRun: true,
  },
  {
    id: "mantine",
    name: "Mantine",
    packages: ["@mantine/core", "@mantine/hooks"],
    html: "Open the dialog",
    operate: openDialog(""),
    policy: { styleAttributes: true, styleElements: true },
    worksWithReports: true,
    note: "With its stylesheet, `@mantine/core/styles.css`.",
  },
  {
    id: "chakra",
    name: "Chakra UI",
    packages: ["@chakra-ui/react"],
    html: "Open the dialog",
    operate: openDialog("Close"),
    policy: { styleElements: true },
    worksWithReports: true,
  },
  {
    id: "ant-design",
    name: "Ant Design",
    packages: ["antd"],
    operate: openDialog("OK"),
    policy: { styleElements: true },
    note: "It reads the clock and calls `Math.random()` while it loads (`COL101`, `COL102`).",
  },
  {
    id: "shadcn",
    name: "shadcn/ui",
    packages: ["@radix-ui/react-slot", "class-variance-authority", "clsx", "tailwind-merge"],
    html: "Clicked 0",
    async operate(page) {
      await clickAndExpect("Clicked 0", "Clicked 1")(page);
      await expect(page.getByRole("button", { name: "Clicked 1" })).toHaveCSS("padding", "8px 32px");
    },
    note: "See [Plain stylesheets](contract.md#plain-stylesheets).",
  },
  {
    id: "emotion",
    name: "Emotion",
    packages: ["@emotion/react", "@emotion/styled"],
    html: "A box",
    operate: paint,
    policy: { styleElements: true },
  },
  {
    id: "styled-components",
    name: "styled-components",
    packages: ["styled-components"],
    html: "A box",
    operate: paint,
    policy: { styleElements: [EMPTY_STYLE] },
  },
  {
    id: "vanilla-extract",
    name: "vanilla-extract",
    packages: ["@vanilla-extract/css", "@vanilla-extract/webpack-plugin"],
    html: "A box",
    operate: paint,
    note: "With `VanillaExtractPlugin`, which `webpack` of section.config.js adds.",
  },
  {
    id: "tailwind",
    name: "Tailwind CSS",
    packages: ["tailwindcss", "@tailwindcss/postcss"],
    html: "Toggle",
    async operate(page) {
      const button = page.getByRole("button", { name: "Toggle" });
      await expect(button).toHaveCSS("background-color", "rgb(1, 2, 3)");
      await expect(page.getByText("Details")).toBeHidden();
      await button.click();
      await expect(page.getByText("Details")).toHaveCSS("display", "grid");
    },
    note: "See [Plain stylesheets](contract.md#plain-stylesheets).",
  },
  {
    id: "motion",
    name: "Motion",
    packages: ["motion"],
    html: "A box",
    async operate(page) {
      await page.getByRole("button", { name: "Move" }).click();
      await expect(page.getByText("A box")).toHaveCSS("transform", "matrix(1, 0, 0, 1, 100, 0)");
    },
    inShortRun: true,
    policy: { styleAttributes: true },
    worksWithReports: true,
  },
  {
    id: "tanstack-query",
    name: "TanStack Query",
    packages: ["@tanstack/react-query"],
    html: "Counting the votes…",
    async operate(page) {
      await page.getByRole("button", { name: "3 votes" }).click();
      await expect(page.getByRole("button", { name: "4 votes" })).toBeVisible();
    },
    inShortRun: true,
    note: "The HTML has the pending state. For data in the HTML, use [queries](data.md).",
  },
  {
    id: "tanstack-table",
    name: "TanStack Table",
    packages: ["@tanstack/react-table"],
    html: "Grace",
    async operate(page) {
      await page.getByRole("button", { name: "Name" }).click();
      await expect(page.getByRole("cell")).toHaveText(["Ada", "36", "Grace", "85"]);
    },
  },
  {
    id: "tanstack-virtual",
    name: "TanStack Virtual",
    packages: ["@tanstack/react-virtual"],
    html: "list",
    async operate(page) {
      await expect(page.getByText("Row 0", { exact: true })).toBeVisible();
      await page.getByTestId("list").evaluate((list) => {
        list.scrollTop = 30_000;
      });
      await expect(page.getByText("Row 1000", { exact: true })).toBeInViewport();
    },
    policy: { styleAttributes: true },
  },
  {
    id: "tanstack-form",
    name: "TanStack Form",
    packages: ["@tanstack/react-form"],
    html: "Name",
    operate: sendForm,
  },
  {
    id: "swr",
    name: "SWR",
    packages: ["swr"],
    html: "Counting the votes…",
    operate: clickAndExpect("3 votes", "4 votes"),
    note: "The HTML has the pending state. For data in the HTML, use [queries](data.md).",
  },
  {
    id: "redux-toolkit",
    name: "Redux Toolkit",
    packages: ["@reduxjs/toolkit", "react-redux"],
    operate: clickAndExpect("Clicked 0", "Clicked 1"),
    note: "Redux calls `Math.random()` while it loads (`COL102`). Zustand and Jotai do not.",
  },
  {
    id: "zustand",
    name: "Zustand",
    packages: ["zustand"],
    html: "Clicked 0",
    operate: clickAndExpect("Clicked 0", "Clicked 1"),
  },
  {
    id: "jotai",
    name: "Jotai",
    packages: ["jotai"],
    html: "Clicked 0",
    async operate(page) {
      await clickAndExpect("Clicked 0", "Clicked 1")(page);
      await expect(page.locator("main output")).toHaveText("2");
    },
  },
  {
    id: "xstate",
    name: "XState",
    packages: ["xstate", "@xstate/react"],
    html: "The light is off",
    operate: clickAndExpect("The light is off", "The light is on"),
  },
  {
    id: "react-hook-form",
    name: "React Hook Form",
    packages: ["react-hook-form"],
    html: "Name",
    operate: sendForm,
  },
  {
    id: "formik",
    name: "Formik",
    packages: ["formik"],
    html: "Name",
    operate: sendForm,
  },
  {
    id: "zod",
    name: "Zod",
    packages: ["zod"],
    html: "Too short",
    operate: validateName,
    note: "With `z.config({ jitless: true })`: otherwise it tries `new Function()`.",
  },
  {
    id: "valibot",
    name: "Valibot",
    packages: ["valibot"],
    html: "Too short",
    operate: validateName,
  },
  {
    id: "yup",
    name: "Yup",
    packages: ["yup"],
    operate: validateName,
    note: "It creates an invalid date while it loads (`COL106`). Zod and Valibot do not.",
  },
  {
    id: "i18next",
    name: "i18next",
    packages: ["i18next", "react-i18next"],
    html: "Hello Ada",
    operate: clickAndExpect("Hello Ada", "Hallo Ada"),
  },
  {
    id: "lingui",
    name: "Lingui",
    packages: ["@lingui/core", "@lingui/react"],
    html: "Hello Ada",
    operate: clickAndExpect("Hello Ada", "Hallo Ada"),
  },
  {
    id: "formatjs",
    name: "FormatJS",
    packages: ["react-intl"],
    operate: clickAndExpect("Hello Ada, 2 messages", "Hallo Ada, 2 Nachrichten"),
    note: "It reads the clock while it loads (`COL101`). i18next and Lingui do not.",
  },
  {
    id: "date-fns",
    name: "date-fns",
    packages: ["date-fns"],
    operate: clickAndExpect("1 March 2026", "2 March 2026"),
    note: "It reads the time zone (`COL106`). For HTML, see [Dates and locales](recipes/dates-and-locales.md).",
  },
  {
    id: "dayjs",
    name: "Day.js",
    packages: ["dayjs"],
    operate: clickAndExpect("1 March 2026", "2 March 2026"),
    note: "It reads the time zone (`COL106`). For HTML, see [Dates and locales](recipes/dates-and-locales.md).",
  },
  {
    id: "luxon",
    name: "Luxon",
    packages: ["luxon"],
    operate: clickAndExpect("1 March 2026", "2 March 2026"),
    note: "It reads the clock, and uses `Intl` (`COL103`). For HTML, see [Dates and locales](recipes/dates-and-locales.md).",
  },
  {
    id: "recharts",
    name: "Recharts",
    packages: ["recharts", "react-is"],
    async operate(page) {
      await page.locator(".recharts-bar-rectangle").last().hover();
      await expect(page.locator(".recharts-tooltip-wrapper")).toContainText("sold : 7");
    },
    note: "It contains Redux, which calls `Math.random()` while it loads (`COL102`). For a chart in the HTML, see [Chart](recipes/chart.md).",
  },
  {
    id: "visx",
    name: "visx",
    packages: ["@visx/group", "@visx/scale", "@visx/shape"],
    async operate(page) {
      await page.getByRole("button", { name: "June" }).click();
      await expect(page.locator("main output")).toHaveText("June");
    },
    note: "`@visx/scale` reads the clock while it loads (`COL101`). `scaleLinear` of D3 does not.",
  },
  {
    id: "d3",
    name: "D3",
    packages: ["d3"],
    html: "M0,120L150,60L300,180",
    async operate(page) {
      await expect(page.locator("main svg .tick").first()).toBeVisible();
      await page.getByRole("button", { name: "Zoom" }).click();
      await expect(page.locator("main svg > path")).toHaveAttribute("d", "M0,160L150,130L300,190");
    },
    note: "The axis, which D3 adds to the document, is not in the HTML.",
  },
  {
    id: "chart-js",
    name: "Chart.js",
    packages: ["chart.js", "react-chartjs-2"],
    html: "<canvas",
    async operate(page) {
      await page.locator("canvas").click({ position: { x: 230, y: 150 } });
      await expect(page.locator("main output")).toHaveText("June");
    },
    note: "The HTML has the canvas; the browser draws.",
  },
  {
    id: "lucide",
    name: "Lucide",
    packages: ["lucide-react"],
    html: "lucide-sun",
    async operate(page) {
      await page.getByRole("button", { name: "Theme" }).click();
      await expect(page.locator("main svg.lucide-moon")).toBeVisible();
    },
  },
  {
    id: "react-icons",
    name: "React Icons",
    packages: ["react-icons"],
    html: "<svg",
    async operate(page) {
      await page.getByRole("button", { name: "Theme" }).click();
      await expect(page.getByTestId("moon")).toBeVisible();
    },
  },
  {
    id: "react-markdown",
    name: "react-markdown",
    packages: ["react-markdown"],
    html: "<strong>bold</strong>",
    async operate(page) {
      await page.getByLabel("Text").fill("Some *new* text");
      await expect(page.locator("main em")).toHaveText("new");
    },
  },
  {
    id: "dompurify",
    name: "DOMPurify",
    packages: ["dompurify"],
    html: "Show",
    async operate(page) {
      await page.getByRole("button", { name: "Show" }).click();
      await expect(page.locator("main b")).toHaveText("bold");
    },
    policy: { trustedTypes: "report" },
    note: "[HTML from a CMS](recipes/cms-html.md) needs no permission.",
  },
  {
    id: "axios",
    name: "axios",
    packages: ["axios"],
    html: "Load",
    operate: loadFile,
    note: "By `import()` in an event handler: on the server it needs modules of Node.js while it loads (`COL110`). Ky does not.",
  },
  {
    id: "ky",
    name: "Ky",
    packages: ["ky"],
    html: "Load",
    operate: loadFile,
  },
  {
    id: "sentry",
    name: "Sentry",
    packages: ["@sentry/react"],
    html: "Report",
    async operate(page) {
      await page.route("**/sentry", (route) => route.fulfill({ json: {} }));
      await page.getByRole("button", { name: "Report" }).click();
      await expect(page.locator("main output")).toHaveText("Reported");
    },
    note: "`Sentry.init()` in an effect, with a `tunnel` on the site's origin.",
  },
  {
    id: "lodash-es",
    name: "Lodash",
    packages: ["lodash-es"],
    html: "Bath",
    async operate(page) {
      await page.getByRole("button", { name: "Wales" }).click();
      await expect(page.locator("main output")).toHaveText("Cardiff");
    },
  },
];
