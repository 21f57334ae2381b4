/** A kind of problem that `colonnade check` finds. */
interface ProblemKind {
  /** Short name, in the headings of docs/errors.md. */
  readonly title: string;
  /** What to do instead, unless the message says it. */
  readonly help?: string;
  /** An error fails the check. Default: `error`. */
  readonly severity?: Severity;
}

/** An error fails the check and the build. A warning is only reported. */
export type Severity = "error" | "warning";

const BROWSER_ONLY = "use it in an effect or an event handler, which run only in the browser.";

/** The kinds of problems by code. docs/errors.md describes each of them. */
export const PROBLEM_KINDS = {
  COL100: { title: "Section contract" },
  COL101: { title: "Clock", help: `Use site.today for the day. If you need the time, ${BROWSER_ONLY}` },
  COL102: { title: "Randomness", help: `Derive the value from data. If it must be random, ${BROWSER_ONLY}` },
  COL103: { title: "Locale", help: "Format with your own code, such as toFixed() or a table of month names." },
  COL104: {
    title: "Timers and network",
    help:
      "Declare `queries` for data of an upstream, or import data from your own modules. If you need a timer or another " +
      `request, ${BROWSER_ONLY}`,
  },
  COL105: { title: "Browser globals", help: `Render without it, and ${BROWSER_ONLY}` },
  COL106: { title: "Time zone", help: "Use the UTC methods, such as getUTCDate(), and dates that end with Z." },
  COL110: {
    title: "Page throws",
    help: "Fix the error: visitors would not get this page or extension from the server.",
  },
  COL111: {
    title: "CPU time",
    help: "Look for an endless loop, or move the work to a script that runs before the build.",
  },
  COL112: {
    title: "Data is not JSON",
    help: "Return only what JSON keeps: convert dates to strings, maps to arrays, and leave out undefined.",
  },
  COL113: {
    title: "Page size",
    help: "Show fewer items per page, and return only what the page shows from data.",
  },
  COL114: {
    title: "Not-found page",
    help: "Return notFound() for params that identify nothing, or set anyParams: true if there is a page for every value.",
  },
  COL115: {
    title: "Head",
    help: "Give every page a title, a description, and its own path as canonical: pathTo() encodes it.",
  },
  COL116: {
    title: "Search result",
    help: "Keep a title within 60 characters and a description within 160, and name the page's own path as canonical.",
    severity: "warning",
  },
  COL117: { title: "Broken link", help: "Correct the link, or add the page. pathTo() builds a path from a pattern." },
  COL118: {
    title: "Unknown link target",
    help: "Correct the link if no other section has this page.",
    severity: "warning",
  },
  COL120: { title: "Inline style", help: "Use a class of a CSS module." },
  COL121: {
    title: "HTML or code from a string",
    help: "Render React elements. For formatted text, import Markdown; for HTML as data, use parseHtml of @colonnade/kit/html.",
  },
  COL122: { title: "Script element", help: "Import the script as a module, or load it from an effect." },
  COL123: { title: "Style element", help: "Use a CSS module." },
  COL124: {
    title: "Unscoped style",
    help: "Use a class of a CSS module in each selector, and the section's name as the prefix of document-wide names.",
  },
  COL125: {
    title: "Blocked URL",
    help: "Import the file: the policy blocks files of other origins and data: URLs.",
  },
  COL126: {
    title: "Policy of the site",
    help: "Ask the operator of the site to permit it.",
    severity: "warning",
  },
  COL127: {
    title: "Browser feature",
    help: "The browser rejects it: the site's Permissions Policy denies the feature.",
  },
  COL130: {
    title: "Environment variable",
    help:
      "Use the site's facts for what depends on the site, and a module with constants for the rest. Import files of a public folder, " +
      "such as that of PUBLIC_URL or BASE_URL.",
  },
  COL131: {
    title: "Forbidden import",
    help:
      "Import from @colonnade/kit, which exports Link, useLocation, useNavigate and useParams. An app with a router of its own is " +
      'a page with a pattern such as "/shop/*".',
  },
  COL132: {
    title: "Unlisted setting",
    help: "Add it to `facts` or `config` in section.config.js, with its type.",
  },
  COL140: {
    title: "Size budget",
    help: "Load large packages with lazy() or import(), or use smaller ones. `budget` in section.config.js sets the limits.",
  },
  COL141: {
    title: "Copy of a shared package",
    help:
      "Accept the site's version in package.json, and use only exports that the site shares; or ask its operator. A copy of its own " +
      "also works.",
    severity: "warning",
  },
  COL142: {
    title: "Unlisted file",
    help: "List each in `assets` of the page or extension whose first view loads it, or in `later`.",
    severity: "warning",
  },
  COL150: { title: "Accessibility", help: "Correct the element, so that people with assistive technology can use it." },
  COL151: {
    title: "Accessibility advice",
    help: "Correct the element, so that the page is easier to use with assistive technology.",
    severity: "warning",
  },
  COL152: { title: "Headings", help: "Render one h1 on each page, and h2 to h6 for its parts." },
  COL153: {
    title: "List keys",
    help: "Set the prop `key` of each element to what identifies its item, such as an ID.",
    severity: "warning",
  },
  COL154: {
    title: "Conditional text",
    help: "Wrap the text in an element of its own, such as a <span>, so that it also changes on a translated page.",
    severity: "warning",
  },
  COL155: {
    title: "Form with a file",
    help: 'Set encType="multipart/form-data" on the form: without it, browsers post only the name of the file.',
  },
  COL156: {
    title: "Portal to the body",
    help: "Render into the element of usePortalContainer(): plain stylesheets of the section do not apply elsewhere in the body.",
    severity: "warning",
  },
  COL157: {
    title: "Router without its basename",
    help:
      "Give the router the path that useBasename() of @colonnade/kit/basename returns. Otherwise the app shows that it has no such " +
      "page when the visitor leaves it with Back.",
    severity: "warning",
  },
  COL158: {
    title: "Form fields in the URL",
    help:
      'Set method="post" on a form that your code sends. Without JavaScript, use MutationForm; or if the fields belong into the URL, ' +
      "as those of a search, set the path of the page as action.",
  },
  COL159: {
    title: "Invisible HTML",
    help:
      "Render it visible: visitors do not see it until its code has loaded, and never without JavaScript. With Motion, " +
      "`initial={false}` renders the end of the animation.",
    severity: "warning",
  },
  COL160: {
    title: "Queries",
    help: "Return at most eight paths below /api/, by name. Encode a param with encodeURIComponent() or URLSearchParams.",
  },
  COL161: {
    title: "Unstable queries",
    help: "Derive the paths only from params and site, and change no variable outside of queries().",
  },
  COL162: {
    title: "Failed queries",
    help: "Handle a result with ok: false, such as by a message. A page returns notFound() only for status 404, an extension null if there is nothing to show.",
  },
  COL163: {
    title: "Examples",
    help: "Give each example a path of the page, or props, and for each query the result that its upstream responds with.",
  },
  COL164: {
    title: "No examples",
    help:
      "Add `examples`: paths of the page, or props, each with results of the queries. The build and a deploy run it with them. " +
      "`colonnade check` with --site or --api runs it with real results.",
    severity: "warning",
  },
  COL170: {
    title: "Place of an extension point",
    help: "Show each point once, by <ExtensionPoint>, and list it in extensionPoints of the page or shell that shows it.",
  },
  COL171: {
    title: "Extension that is not shown",
    help: "Fill a point and a version that a live section opens. A point shows the extensions with the lowest orders.",
    severity: "warning",
  },
  COL172: {
    title: "HTML of an extension",
    help: "Close each element, and render only elements of page content: no title, meta or script elements, and no parts of a table or list alone.",
  },
  COL173: {
    title: "Live extension that fails",
    help: "Change the example, or ask the team of the extension to deploy a fix first. A deploy is rejected for the same problem.",
  },
} as const satisfies Record<string, ProblemKind>;

/** Returns the help text for a library that creates style elements. */
export function styleLibraryHelp(library: string): string {
  return `${library} creates style elements, which the browser blocks. Use CSS modules instead.`;
}

/** Help for a function as the action of a form. */
export const FORM_ACTION_HELP =
  "Use MutationForm of @colonnade/kit/data, or onSubmit: React runs the function only after hydration, and its HTML needs an inline " +
  "script, which the policy blocks.";

/** Help for an element that changes the head of a document. */
export const HEAD_ELEMENT_HELP =
  "Return it from head of the page: React would add it to what the gateway and the shell write into the document's head.";

/** Help for COL121 in packages that have a setting for it, by name. */
export const EVALUATION_HELP: ReadonlyMap<string, string> = new Map([
  [
    "zod",
    "Call z.config({ jitless: true }) before the first schema. Otherwise the browser reports a violation of Trusted Types, which zod " +
      "catches. The check does not see the call.",
  ],
]);

/** The code of a kind of problem. */
export type ProblemCode = keyof typeof PROBLEM_KINDS;

/** Returns the kind of problem of a code. */
export function kindOf(code: ProblemCode): ProblemKind {
  return PROBLEM_KINDS[code];
}

/** The URL fragment of a code's heading in docs/errors.md. */
export function anchorOf(code: ProblemCode): string {
  const title = kindOf(code)
    .title.toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return `#${code.toLowerCase()}-${title}`;
}
