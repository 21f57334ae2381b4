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
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import { NavigationType } from "react-router-dom";

import { assetsOf } from "../loading/assets.js";
import { loadSection } from "../loading/federation.js";
import type { PinnedDeployment } from "../loading/pinnedDeployment.js";
import { provided } from "../loading/provided.js";
import { ensureStyles, useStyles } from "../loading/styles.js";
import { viewTimeout, withTimeout } from "../loading/timeout.js";
import type { RouterHistory, RouterState } from "../navigation/history.js";
import { ShellRouter } from "../navigation/ShellRouter.js";
import { rootOptions } from "../rootOptions.js";
import { ExtensionContent, type ExtensionContentProps } from "./ExtensionContent.js";
import type { PlaceOfExtensions, ShownExtensions } from "./showExtensions.js";

// As on the server, where all pages that pass the same props share the HTML.
const AT_ROOT: RouterState = {
  action: NavigationType.Pop,
  location: { pathname: "/", search: "", hash: "", state: null, key: "default" },
};

interface BoundaryProps {
  /** The server's nodes. */
  readonly nodes: readonly ChildNode[];
  readonly onMount: () => void;
  readonly onError: (error: unknown) => void;
  readonly children: ReactNode;
}

/** Puts the server's nodes back if the extension throws. */
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
    const { nodes, children } = this.props;
    return this.state.hasFailed ? <div ref={(element) => element?.append(...nodes)} /> : children;
  }
}

interface StyledProps extends ExtensionContentProps {
  readonly assets: ReturnType<typeof assetsOf>;
  /** The name that the styles are ordered by. */
  readonly name: string;
}

function Styled({ assets, name, ...content }: StyledProps): ReactElement {
  useStyles(assets, name);
  return <ExtensionContent {...content} />;
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
  readonly #resolved: ResolvedExtension;
  readonly #assets: ReturnType<typeof assetsOf>;
  readonly #server: Element | undefined;
  /** The server's nodes. Empty without server rendering. */
  readonly #nodes: readonly ChildNode[];
  /** Ends all work. */
  readonly #left = new AbortController();
  #extension: AnyExtension | undefined;
  #requests = new AbortController();
  #root: Root | undefined;
  /** What the place passes. */
  #props: object;
  /** What is shown is for these props. */
  #shown: object;
  #isSettled = false;

  constructor(place: Place, resolved: ResolvedExtension) {
    this.#place = place;
    this.#resolved = resolved;
    this.#assets = assetsOf(resolved);
    this.#props = place.props;
    this.#shown = place.props;
    this.#server = [...place.element.children].find((child) => nameOf(child) === resolved.section.name);
    this.#nodes = [...(this.#server?.childNodes ?? [])];
    void this.#start();
    // `colonnade dev` has updated a section.
    if (process.env.NODE_ENV === "development")
      addEventListener(
        "colonnade-update",
        ({ detail }: CustomEventInit<string>) => {
          if (detail === resolved.section.name) void this.#start();
        },
        { signal: this.#left.signal },
      );
  }

  get #name(): string {
    return `${this.#place.reference} ${this.#resolved.section.name}`;
  }

  async #start(): Promise<void> {
    const { bytes, data } = this.#resolved;
    try {
      const loading = this.#loadCode();
      this.#extension = await withTimeout(loading, viewTimeout(bytes), `the extension "${this.#name}"`);
    } catch (error) {
      // The server's HTML stays.
      await this.#fail("load", error);
      return;
    }
    if (this.#left.signal.aborted) return;
    if (this.#server) {
      const element = this.#elementOf(this.#shown, data);
      this.#root = hydrateRoot(this.#server, element, this.#options());
    }
    // An update of what is not hydrated would discard its HTML.
    if (!this.#server || this.#props !== this.#shown) await this.#show(this.#extension);
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
    [this.#requests, this.#shown] = [requests, props];
    try {
      const context = { props: props as never, site: this.#place.services.site };
      const results = await loadResults(extension.queries?.(context) ?? {}, (path) =>
        fetchResult(path, "omit", requests),
      );
      const data = await extension.data({ ...context, results });
      if (requests.signal.aborted) return;
      const element = data === null ? null : this.#elementOf(props, data);
      if (!element) this.#settle();
      if (element) this.#root ??= createRoot(this.#insert(), this.#options());
      startTransition(() => this.#root?.render(element));
    } catch (error) {
      await this.#fail("render", error);
    }
  }

  #options(): typeof rootOptions {
    const { reference } = this.#place;
    return { ...rootOptions, identifierPrefix: identifierPrefix(reference, this.#resolved.section.name) };
  }

  #elementOf(props: object, data: unknown): ReactElement | undefined {
    if (!this.#extension) return undefined;
    const { services, history } = this.#place;
    const { name } = this.#resolved.section;
    const content = { Component: this.#extension.Component, props: { props: props as never, data: data as never } };
    return (
      <ExtensionBoundary
        nodes={this.#nodes}
        onMount={() => {
          this.#settle();
        }}
        onError={(error) => void this.#fail("render", error)}
      >
        <ShellRouter history={history} initial={AT_ROOT}>
          <ShellContext value={services}>
            <Styled {...content} assets={this.#assets} name={this.#name} section={name} />
          </ShellContext>
        </ShellRouter>
      </ExtensionBoundary>
    );
  }

  /** Inserts an element for the root, in its place among the others. */
  #insert(): Element {
    const { element, order } = this.#place;
    const { name } = this.#resolved.section;
    const container = document.createElement("div");
    container.setAttribute(EXTENSION_ATTRIBUTE, name);
    const next = [...element.children].find((child) => order.indexOf(nameOf(child)) > order.indexOf(name));
    element.insertBefore(container, next ?? null);
    return container;
  }

  update(props: object): void {
    if (JSON.stringify(props) === JSON.stringify(this.#props)) return;
    this.#props = props;
    if (this.#extension) void this.#show(this.#extension);
  }

  remove(): void {
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
    this.#settle();
    const { deployment, reference: extensionPoint } = this.#place;
    console.warn(`[shell] the extension "${this.#name}" failed to ${phase}:`, error);
    const isOfRelease = phase === "render" || (await deployment.status()) === "retained";
    if (isOfRelease) deployment.report({ section: this.#resolved.section, extensionPoint }, phase, error);
  }
}

function nameOf(element: Element): string {
  return element.getAttribute(EXTENSION_ATTRIBUTE) ?? "";
}

/** The extensions of a point of the shell, or of the current page. */
async function extensionsOf(reference: string): Promise<readonly ResolvedExtension[]> {
  const { boot, views } = await provided;
  const ofShell = boot.extensions?.[reference];
  if (ofShell) return ofShell;
  const view = await views.load(location.pathname);
  return (view.kind === "page" ? view.extensions?.[reference] : undefined) ?? [];
}

/** The heights of places that were left, in pixels, by reference. */
const heights = new Map<string, number>();

/**
 * Makes an empty place as high as the last one, and keeps the browser from adjusting the scroll position to what appears above it:
 * Back restores that position before the extensions are there.
 */
function reserve({ element, reference }: PlaceOfExtensions): void {
  if (element.childElementCount > 0) return;
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
  const [{ deployment, routerHistory: history }, extensions] = [await provided, await extensionsOf(place.reference)];
  const order = extensions.map(({ section }) => section.name);
  let waiting = extensions.length;
  const settle = (): void => {
    waiting -= 1;
    if (waiting <= 0) settlePlace(place.element);
  };
  if (extensions.length === 0) settle();
  const common = { ...place, deployment, history, order, settle };
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
    update(props) {
      void showing.then((all) => {
        for (const extension of all) extension.update(props);
      });
    },
    remove() {
      heights.set(reference, element.offsetHeight);
      void showing.then((all) => {
        for (const extension of all) extension.remove();
      });
    },
  };
}
