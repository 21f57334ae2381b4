import type { ProblemCode } from "./codes.js";

/** An error as the sandbox reports it. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
}

/** A text of globals.js, which throws for what a render must not use. */
export const FORBIDDEN = " was used during a render. ";
// Further texts of globals.js.
const RULES: readonly [RegExp, ProblemCode][] = [
  [/^(the clock|performance) /, "COL101"],
  [/^(Math\.random\(\)|crypto) /, "COL102"],
  [/^(set(Timeout|Interval|Immediate)|request(AnimationFrame|IdleCallback)|fetch)\(\) /, "COL104"],
  [/^the time zone /, "COL106"],
  [/^(get|set)\w+\(\) |^to(Date|Time)?String\(\) /, "COL106"],
  [/^(Intl |to\w+\(\) |localeCompare\(\) )/, "COL103"],
];

// Texts of the shell, which renders the places of extension points.
const PLACE = /^the extension point "[^"]*" is (not among|rendered twice)/;
const PLACE_PROPS = "the props of the extension point ";

// Text of React Router.
const ROUTER_HOOK = /^(\S+) may be used only in the context of a <Router>/;

const NETWORK_GLOBALS = new Set(["XMLHttpRequest", "WebSocket", "EventSource", "Headers", "Request", "Response"]);
const BROWSER_GLOBALS = new Set(
  (
    "window document navigator location history localStorage sessionStorage indexedDB cookieStore caches screen self parent " +
    "top frames visualViewport innerWidth innerHeight outerWidth outerHeight devicePixelRatio scrollX scrollY scrollTo " +
    "scrollBy matchMedia getComputedStyle getSelection alert confirm prompt open close print postMessage addEventListener " +
    "removeEventListener dispatchEvent customElements trustedTypes speechSynthesis structuredClone atob btoa reportError " +
    "cancelAnimationFrame cancelIdleCallback Element HTMLElement SVGElement Node NodeList Document DocumentFragment " +
    "ShadowRoot Text Image Audio Option Event EventTarget CustomEvent MouseEvent KeyboardEvent PointerEvent MutationObserver " +
    "IntersectionObserver ResizeObserver PerformanceObserver AbortController AbortSignal MessageChannel BroadcastChannel " +
    "Worker SharedWorker DOMParser XMLSerializer FormData Blob File FileReader TextDecoder ReadableStream Notification " +
    "CSS CSSStyleSheet FontFace Range Selection DOMRect DOMException URLPattern ClipboardItem"
  ).split(" "),
);

/** What a thrown error means for the section: its code, and the message in words of the rule. */
export function classifyError({ name, message }: ThrownError): { code: ProblemCode; message: string } {
  if (message.includes(FORBIDDEN)) {
    const rule = RULES.find(([pattern]) => pattern.test(message));
    if (rule) return { code: rule[1], message: `used ${message.slice(0, message.indexOf(FORBIDDEN))}` };
  }
  const [, missing = ""] = /^(\S+) is not defined$/.exec(message) ?? [];
  const thrown = `threw ${name}: ${message}`;
  if (name === "ReferenceError") {
    if (missing === "process") return { code: "COL130", message: "used process, which exists only in Node.js" };
    if (NETWORK_GLOBALS.has(missing)) return { code: "COL104", message: `used ${missing}` };
    if (BROWSER_GLOBALS.has(missing))
      return { code: "COL105", message: `used ${missing}, which exists only in browsers` };
  }
  const [, hook] = ROUTER_HOOK.exec(message) ?? [];
  if (hook) return { code: "COL131", message: `used ${hook} of another router than the shell's` };
  if (PLACE.test(message)) return { code: "COL170", message: thrown };
  if (message.startsWith(PLACE_PROPS)) return { code: "COL112", message: thrown };
  if (name === "EvalError") return { code: "COL121", message: thrown };
  return { code: "COL110", message: thrown };
}
