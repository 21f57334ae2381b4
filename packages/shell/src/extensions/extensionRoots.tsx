// Part of what loads after the first view.
import {
  EXTENSION_ATTRIBUTE,
  fetchResult,
  identifierPrefix,
  loadResults,
  ShellContext,
  type AnyExtension,
  type ResolvedExtension,
} from "@colonnade/kit/shell";
import { Component, startTransition, type ReactElement, type ReactNode } from "react";
import { preload } from "react-dom";
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import { NavigationType } from "react-router-dom";

import { assetsOf } from "../loading/assets.js";
import { loadSection } from "../loading/federation.js";
import type { PinnedDeployment } from "../loading/pinnedDeployment.js";
import { provided } from "../loading/provided.js";
import { loadCode } from "../loading/retries.js";
import { ensureStyles, useStyles } from "../loading/styles.js";
import type { RouterHistory, RouterState } from "../navigation/history.js";
import { ShellRouter } from "../navigation/ShellRouter.js";
import { rootOptions } from "../rootOptions.js";
import { ExtensionContent, NoPlace } from "./ExtensionContent.js";
import type { PlaceOfExtensions, ShownExtensions } from "./showExtensions.js";

// As on the server, where all pages that pass the same props share the HTML.
const AT_ROOT: RouterState = {
  action: NavigationType.Pop,
  location: { pathname: "/", search: "", hash: "", state: null, key: "default" },
};

interface BoundaryProps {
  /** Shown in place of an extension that throws. */
  readonly fallback: ReactNode;
  readonly onMount: () => void;
  readonly onError: (error: unknown) => void;
  readonly children: ReactNode;
}

/** Contains the errors of an extension. */
class ExtensionBoundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidMount(): void {
    this.props.onMount();
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

interface StyledProps {
  readonly assets: ReturnType<typeof assetsOf>;
  /** The name that the styles are ordered by. */
  readonly name: string;
  readonly children: ReactNode;
}

function Styled({ assets, name, children }: StyledProps): ReactNode {
  useStyles(assets, name);
  return children;
}

/** Options of a root whose errors name its extension: `colonnade dev` shows it. */
function naming(extension: string): typeof rootOptions {
  const name = (error: unknown): void => {
    if (error instanceof Error) Object.assign(error, { extension });
  };
  return {
    onCaughtError(error, info) {
      name(error);
      rootOptions.onCaughtError?.(error, info);
    },
    onRecoverableError(error, info) {
      name(error);
      rootOptions.onRecoverableError?.(error, info);
    },
  };
}

interface FailedProps {
  readonly error: unknown;
}

/** An extension whose data did not load fails as one that throws. */
function Failed({ error }: FailedProps): never {
  throw error;
}

/** Loads the scripts of an extension in one trip: one after the other would name the next. */
function preloadScripts({ section, assets }: ResolvedExtension): void {
  const entry = { href: section.entry, integrity: section.integrity, type: "script" };
  for (const { href, integrity, type } of [entry, ...section.assets, ...assets])
    if (type === "script") preload(href, { as: "script", crossOrigin: "anonymous", integrity, fetchPriority: "low" });
}

/** What all extensions in a place have. */
interface Place extends PlaceOfExtensions {
  readonly deployment: PinnedDeployment;
  readonly history: RouterHistory;
  /** The names of the sections that fill the point, in order. */
  readonly order: readonly string[];
  /** Call once for each extension, when it is shown or will not be. */
  readonly settle: () => void;
}

/** One extension, from its HTML, or from nothing. */
class ShownExtension implements ShownExtensions {
  readonly #place: Place;
  /** Whether the view still is the one of the document. */
  #isOfServer: boolean;
  readonly #resolved: ResolvedExtension;
  readonly #assets: ReturnType<typeof assetsOf>;
  /** Is in the place while there is something to show. */
  readonly #container: Element;
  /** The server's nodes, until the extension renders again. */
  #nodes: readonly ChildNode[];
  /** Ends all work. */
  readonly #left = new AbortController();
  #isStarted = false;
  #extension: AnyExtension | undefined;
  #requests = new AbortController();
  #root: Root | undefined;
  /** What the place passes. */
  #props: object;
  #failures = 0;
  #isSettled = false;

  constructor(place: Place, resolved: ResolvedExtension) {
    const { name } = resolved.section;
    this.#place = place;
    this.#isOfServer = place.isServerRendered;
    this.#resolved = resolved;
    this.#assets = assetsOf(resolved);
    this.#props = place.props;
    this.#container = [...place.element.children].find((child) => nameOf(child) === name) ?? createContainer(name);
    this.#nodes = [...this.#container.childNodes];
    if (place.isServerRendered && resolved.leftOut) this.#settle();
    else void this.#start();
    // `colonnade dev` has updated a section.
    if (process.env.NODE_ENV === "development")
      addEventListener(
        "colonnade-update",
        ({ detail }: CustomEventInit<string>) => {
          if (detail === name) void this.#start();
        },
        { signal: this.#left.signal },
      );
  }

  get #name(): string {
    return `${this.#place.reference} ${this.#resolved.section.name}`;
  }

  /** The server's nodes, if they are of the current props. */
  get #kept(): readonly ChildNode[] {
    return isEqual(this.#props, this.#place.props) ? this.#nodes : [];
  }

  async #start(): Promise<void> {
    this.#isStarted = true;
    const resolved = this.#resolved;
    const { signal } = this.#left;
    preloadScripts(resolved);
    this.#extension = await loadCode(
      resolved,
      `the extension "${this.#name}"`,
      signal,
      () => this.#loadCode(),
      (error) => this.#fail("load", error),
    );
    if (signal.aborted) return;
    const hydrates = !this.#root && this.#nodes.length > 0 && this.#container.isConnected;
    if (hydrates) {
      const content = this.#contentOf(this.#extension, this.#place.props, resolved.data);
      this.#root = hydrateRoot(this.#container, this.#elementOf(content), this.#options());
    }
    // An update of what is not hydrated would discard its HTML.
    if (!hydrates || !isEqual(this.#props, this.#place.props)) await this.#show(this.#extension);
  }

  async #loadCode(): Promise<AnyExtension> {
    const { section: entry, bytes } = this.#resolved;
    const { reference } = this.#place;
    const styles = ensureStyles(this.#assets, bytes, this.#name);
    const [section] = await Promise.all([loadSection(entry, bytes), styles]);
    const load = section.extensions?.[reference];
    if (!load) throw new Error(`the section "${entry.name}" has no extension of "${reference}"`);
    return (await load()).extension;
  }

  /** Loads the data for the current props, and renders. */
  async #show(extension: AnyExtension): Promise<void> {
    this.#requests.abort();
    const requests = new AbortController();
    const props = this.#props;
    this.#requests = requests;
    let content: ReactElement | null;
    try {
      const context = { props: props as never, site: this.#place.services.site };
      const results = await loadResults(extension.queries?.(context) ?? {}, (path) =>
        fetchResult(path, "omit", requests),
      );
      const data = await extension.data({ ...context, results });
      content = data === null ? null : this.#contentOf(extension, props, data);
    } catch (error) {
      content = <Failed error={error} />;
    }
    if (!requests.signal.aborted) this.#render(content);
  }

  /** Shows nothing if the content is null. */
  #render(content: ReactElement | null): void {
    const element = content && this.#elementOf(content);
    // What the extension renders changes them.
    if (content?.type === ExtensionContent) this.#nodes = [];
    if (content) {
      this.#insert();
      this.#root ??= createRoot(this.#container, this.#options());
    } else {
      this.#container.remove();
      this.#settle();
    }
    startTransition(() => this.#root?.render(element));
  }

  #options(): typeof rootOptions {
    const { reference } = this.#place;
    const { name } = this.#resolved.section;
    const options = process.env.NODE_ENV === "development" ? naming(`${reference} of ${name}`) : rootOptions;
    return { ...options, identifierPrefix: identifierPrefix(reference, name) };
  }

  #contentOf({ Component }: AnyExtension, props: object, data: unknown): ReactElement {
    const content = { Component, props: { props: props as never, data: data as never } };
    return <ExtensionContent {...content} section={this.#resolved.section.name} />;
  }

  #elementOf(content: ReactElement): ReactElement {
    const { services, history } = this.#place;
    const kept = this.#kept;
    return (
      <Styled assets={this.#assets} name={this.#name}>
        <ExtensionBoundary
          key={this.#failures}
          fallback={kept.length > 0 && <div ref={(element) => element?.append(...kept)} />}
          onMount={() => {
            this.#settle();
          }}
          onError={(error) => void this.#fail("render", error)}
        >
          <ShellRouter history={history} initial={AT_ROOT}>
            <ShellContext value={services}>{content}</ShellContext>
          </ShellRouter>
        </ExtensionBoundary>
      </Styled>
    );
  }

  /** Inserts the container, in its place among the others. */
  #insert(): void {
    const { element, order } = this.#place;
    if (this.#container.parentNode === element) return;
    const index = order.indexOf(nameOf(this.#container));
    const next = [...element.children].find((child) => order.indexOf(nameOf(child)) > index);
    element.insertBefore(this.#container, next ?? null);
  }

  update(props: object, isServerRendered: boolean): void {
    const isLacking = !this.#isStarted || this.#failures > 0;
    const isRetried = this.#isOfServer && !isServerRendered && isLacking;
    this.#isOfServer &&= isServerRendered;
    if (!isRetried && isEqual(props, this.#props)) return;
    this.#props = props;
    if (this.#extension) void this.#show(this.#extension);
    else if (!this.#isStarted) void this.#start();
    else if (this.#failures > 0) this.#keep();
  }

  /** Shows the server's HTML if it is of the current props; otherwise nothing. */
  #keep(): void {
    if (this.#kept.length > 0) this.#insert();
    else this.#render(null);
  }

  leave(): void {
    this.#left.abort();
    this.#requests.abort();
    // React does not unmount a root while it renders another one.
    setTimeout(() => this.#root?.unmount());
  }

  #settle(): void {
    if (!this.#isSettled) this.#place.settle();
    this.#isSettled = true;
  }

  async #fail(phase: "load" | "render", error: unknown): Promise<void> {
    if (this.#left.signal.aborted) return;
    this.#failures += 1;
    this.#settle();
    this.#keep();
    const { deployment, reference: extensionPoint } = this.#place;
    console.warn(`[shell] the extension "${this.#name}" failed to ${phase}:`, error);
    const status = phase === "render" ? "retained" : await deployment.status();
    if (status === "retained") deployment.report({ section: this.#resolved.section, extensionPoint }, phase, error);
    // No other attempt succeeds.
    if (status === "gone") await new Promise<never>(() => undefined);
  }
}

function createContainer(section: string): Element {
  const container = document.createElement("div");
  container.setAttribute(EXTENSION_ATTRIBUTE, section);
  return container;
}

/** Whether two props are the same JSON. */
function isEqual(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function nameOf(element: Element): string {
  return element.getAttribute(EXTENSION_ATTRIBUTE) ?? "";
}

let routerHistory: RouterHistory | undefined;
void provided.then((all) => {
  ({ routerHistory } = all);
});

/** The heights of places that were left, in pixels, by reference. */
const heights = new Map<string, number>();

/**
 * Makes an empty place as high as the last one, and keeps the browser from adjusting the scroll position to what appears above it:
 * Back restores that position before the extensions are there.
 */
function reserve({ element, reference }: PlaceOfExtensions): void {
  const isReturn = routerHistory?.state.action === NavigationType.Pop;
  if (!isReturn || element.childElementCount > 0) return;
  element.toggleAttribute("data-pending", true);
  element.style.minBlockSize = `${String(heights.get(reference) ?? 0)}px`;
}

/** Ends what {@link reserve} does, once the browser has laid the extensions out. */
function settlePlace(place: Element): void {
  requestAnimationFrame(() => {
    setTimeout(() => {
      for (const name of ["style", "data-pending"]) place.removeAttribute(name);
    });
  });
}

/** Each extension is on its own: one that fails leaves what is there. */
async function showAll(place: PlaceOfExtensions): Promise<readonly ShownExtension[]> {
  const { deployment, routerHistory: history } = await provided;
  const { extensions } = place;
  const order = extensions.map(({ section }) => section.name);
  let waiting = extensions.length;
  const settle = (): void => {
    waiting -= 1;
    if (waiting <= 0) settlePlace(place.element);
  };
  const services = { ...place.services, ExtensionPlace: NoPlace };
  const common = { ...place, services, deployment, history, order, settle };
  return extensions.map((resolved) => new ShownExtension(common, resolved));
}

/**
 * Shows the extensions of a point in its place: hydrates those whose HTML is there, and loads and renders the others.
 */
export function showExtensions(place: PlaceOfExtensions): ShownExtensions {
  const { element, reference } = place;
  reserve(place);
  const showing = showAll(place).catch((error: unknown): readonly ShownExtension[] => {
    console.warn("[shell] the extensions are not shown:", error);
    settlePlace(element);
    return [];
  });
  return {
    update(...next) {
      void showing.then((all) => {
        for (const extension of all) extension.update(...next);
      });
    },
    leave() {
      if (element.isConnected) heights.set(reference, element.offsetHeight);
      void showing.then((all) => {
        // React removes the place in the same task.
        if (!element.isConnected) for (const extension of all) extension.leave();
      });
    },
  };
}
