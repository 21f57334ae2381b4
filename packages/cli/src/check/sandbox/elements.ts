// Records the elements that the site's Content Security Policy blocks and the links that browsers cannot follow, wherever the
// section creates them. watchedSettings.ts adds the reads of settings.
import React from "react";
import runtime from "react/jsx-runtime";

import { Link } from "@colonnade/kit";
import { blockedProp, FORM_TARGET, misplacedFile, shortened } from "../blockedUrls.js";
import { FORM_ACTION_HELP, styleLibraryHelp, type ProblemCode } from "../codes.js";
import { MARKUP, STYLE_ATTRIBUTES, STYLE_ELEMENTS, type Permission } from "../permission.js";
import { BUNDLE_NAME } from "../report.js";
import { PLACEHOLDER_SITE } from "./site.js";

/**
 * A blocked element, an invalid link or a read of an unlisted setting, with the stack of the code that made it, or the stacks of those
 * that may have passed its style.
 */
export interface BlockedElement {
  readonly code: ProblemCode;
  readonly message: string;
  readonly advice?: string;
  readonly permission?: Permission | undefined;
  readonly severity?: "warning";
  readonly stack?: string | readonly string[];
}

/** A function of React that creates an element of a type, or from another element. */
type Create = (source: unknown, props: Readonly<Record<string, unknown>> | null, ...rest: unknown[]) => unknown;

let blocked: BlockedElement[] = [];

/** Records what {@link takeBlockedElements} returns. */
export function recordBlocked(element: BlockedElement): void {
  blocked.push(element);
}

/** Returns the elements recorded since the last call. */
export function takeBlockedElements(): BlockedElement[] {
  const taken = blocked;
  blocked = [];
  return taken;
}

/** Advice for a style element that a CSS-in-JS library renders. */
export function styleAdvice(marks: string): string | undefined {
  const library = marks.includes("data-emotion")
    ? "emotion"
    : marks.includes("data-styled")
      ? "styled-components"
      : undefined;
  return library && styleLibraryHelp(library);
}

// React renders no attribute if it renders none of the properties.
function hasStyle(style: unknown): boolean {
  if (typeof style !== "object" || style === null) return Boolean(style);
  return Object.values(style).some(
    (value) => value !== null && value !== undefined && value !== "" && typeof value !== "boolean",
  );
}

// The place of an extension point has such HTML, so that React leaves what the gateway writes into it.
function isEmptyHtml(value: unknown): boolean {
  return (value as { readonly __html?: unknown }).__html === "";
}

function* violations(type: string, props: Readonly<Record<string, unknown>>): Generator<BlockedElement> {
  if (type === "script") yield { code: "COL122", message: "a <script> element" };
  if (type === "style") {
    const advice = styleAdvice(Object.keys(props).join(" "));
    yield { code: "COL123", message: "a <style> element", ...(advice && { advice }), permission: STYLE_ELEMENTS };
    // Libraries also set the text of a style element as HTML. That is not a second problem.
    return;
  }
  if (hasStyle(props.style))
    yield { code: "COL120", message: `the prop "style" of a <${type}> element`, permission: STYLE_ATTRIBUTES };
  for (const name of ["dangerouslySetInnerHTML", "srcDoc"])
    if (props[name] && !isEmptyHtml(props[name]))
      yield { code: "COL121", message: `the prop "${name}" of a <${type}> element`, permission: MARKUP };
  const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  for (const [name, value] of Object.entries(props)) {
    const text = textOf(value);
    const blocked = value
      ? (blockedProp(type, name, text, textOf(props.rel)) ?? misplacedFile(type, name, text))
      : undefined;
    if (blocked) yield { code: "COL125", ...blocked };
    if (FORM_TARGET[type] === name && typeof value === "function") {
      const message = `the prop "${name}" of a <${type}> element with a function`;
      yield { code: "COL122", message, advice: FORM_ACTION_HELP };
    }
    if (/^on[A-Z]/.test(name) && typeof value === "string")
      yield { code: "COL121", message: `a string as the event handler "${name}" of a <${type}> element` };
  }
}

function invalidLink(type: unknown, props: Readonly<Record<string, unknown>>): BlockedElement | undefined {
  const url = type === "a" ? props.href : type === Link ? props.to : undefined;
  if (typeof url !== "string" || URL.canParse(url, PLACEHOLDER_SITE.origin)) return undefined;
  const stack = new Error().stack ?? "";
  // The anchor of a <Link> repeats its URL, and its stack does not contain the section.
  if (!stack.includes(BUNDLE_NAME)) return undefined;
  const message = `a link to "${shortened(url)}", which is not a valid URL`;
  return { code: "COL117", message, advice: "Correct the URL: browsers do not follow the link.", stack };
}

/** The stacks of the code that passes a style to components, by the style. */
const origins = new WeakMap<object, Set<string>>();

function recordOrigin(style: object): void {
  origins.set(style, (origins.get(style) ?? new Set()).add(new Error().stack ?? ""));
}

/** The stacks of the section's code that creates an element. The kit passes the style of a `<Link>` on to its anchor. */
function stacksOf({ style }: Readonly<Record<string, unknown>>): readonly string[] {
  const stack = new Error().stack ?? "";
  const passed = stack.includes(BUNDLE_NAME) ? undefined : origins.get(Object(style) as object);
  return passed ? [...passed] : [stack];
}

function recording(create: Create): Create {
  return (source, props, ...rest) => {
    const type = React.isValidElement(source) ? source.type : source;
    if (typeof type === "string" && props)
      for (const violation of violations(type, props)) blocked.push({ ...violation, stack: stacksOf(props) });
    else if (props?.style) recordOrigin(Object(props.style) as object);
    const invalid = props && invalidLink(type, props);
    if (invalid) blocked.push(invalid);
    return create(source, props, ...rest);
  };
}

/** Replaces React's functions that create elements. Callers look them up for each call, so this reaches libraries too. */
export function recordBlockedElements(): void {
  const functions = [
    [runtime, ["jsx", "jsxs"]],
    [React, ["createElement", "cloneElement"]],
  ] as unknown as [Record<string, Create>, string[]][];
  for (const [module, names] of functions) {
    for (const name of names) {
      const create = module[name];
      if (create) module[name] = recording(create);
    }
  }
}
