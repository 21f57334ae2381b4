// Part of what loads after the first view.
import {
  EXTENSION_ATTRIBUTE,
  fetchResult,
  identifierPrefix,
  loadResults,
  ShellContext,
  type AnyExtension,
  type ResolvedExtension,
  type ShellServices,
} from "@colonnade/kit/shell";
import { Component, type ContextType, type ReactElement, type ReactNode } from "react";
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import {
  UNSAFE_LocationContext as LocationContext,
  UNSAFE_NavigationContext as NavigationContext,
} from "react-router-dom";

import { assetsOf } from "../loading/assets.js";
import { loadSection } from "../loading/federation.js";
import { provided } from "../loading/provided.js";
import { ensureStyles, useStyles } from "../loading/styles.js";
import { viewTimeout, withTimeout } from "../loading/timeout.js";
import { rootOptions } from "../rootOptions.js";
import { ExtensionContent, type ExtensionContentProps } from "./ExtensionContent.js";

/** What the place of a point passes to its extensions. */
export interface PlaceValues {
  readonly services: ShellServices;
  readonly navigation: ContextType<typeof NavigationContext>;
  readonly location: ContextType<typeof LocationContext>;
  /** The props of the point. */
  readonly props: object;
}

/** The place of a point on the page. */
interface Place {
  readonly place: Element;
  /** The point's ID with its version. */
  readonly reference: string;
  /** Those of the first render. */
  readonly values: PlaceValues;
}

/** The extensions in the place of a point. */
export interface ShownExtensions {
  /** Renders them with these values. */
  update(values: PlaceValues): void;
  /** Removes them, after the current render. */
  remove(): void;
}

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

async function loadExtension(reference: string, name: string, resolved: ResolvedExtension): Promise<AnyExtension> {
  const { section: entry, bytes } = resolved;
  const [section] = await Promise.all([loadSection(entry, bytes), ensureStyles(assetsOf(resolved), bytes, name)]);
  const load = section.extensions?.[reference];
  if (!load) throw new Error(`the section "${entry.name}" has no extension of "${reference}"`);
  return (await load()).extension;
}

/** What an extension renders. */
interface Content {
  readonly Component: AnyExtension["Component"];
  readonly props: ExtensionContentProps["props"];
}

/** One extension, from its HTML, or from nothing. */
class ShownExtension {
  readonly #place: Element;
  readonly #reference: string;
  readonly #resolved: ResolvedExtension;
  /** The names of all sections that fill the point, in order. */
  readonly #order: readonly string[];
  /** The server's nodes. Empty without server rendering. */
  readonly #nodes: readonly ChildNode[];
  readonly #server: Element | undefined;
  /** Ends all work. */
  readonly #left = new AbortController();
  #values: PlaceValues;
  #extension: AnyExtension | undefined;
  #content: Content | undefined;
  /** What the content is for, or will be. */
  #props: object;
  #requests = new AbortController();
  #root: Root | undefined;
  /** Whether React has rendered it. An update of what is not hydrated would discard its HTML. */
  #isMounted = false;

  constructor({ place, reference, values }: Place, resolved: ResolvedExtension, order: readonly string[]) {
    this.#place = place;
    this.#reference = reference;
    this.#resolved = resolved;
    this.#order = order;
    this.#values = values;
    this.#props = values.props;
    this.#server = [...place.children].find((child) => nameOf(child) === resolved.section.name);
    this.#nodes = [...(this.#server?.childNodes ?? [])];
    void this.#start();
  }

  get #name(): string {
    return `${this.#reference} ${this.#resolved.section.name}`;
  }

  async #start(): Promise<void> {
    try {
      const loading = loadExtension(this.#reference, this.#name, this.#resolved);
      this.#extension = await withTimeout(loading, viewTimeout(this.#resolved.bytes), `the extension "${this.#name}"`);
    } catch (error) {
      // The server's HTML stays.
      await this.#fail("load", error);
      return;
    }
    if (this.#left.signal.aborted) return;
    const { Component } = this.#extension;
    if (!this.#server) await this.#load(this.#extension);
    else {
      this.#content = { Component, props: { props: this.#props as never, data: this.#resolved.data as never } };
      this.#render();
    }
  }

  /** Loads the data for the current props, and renders. */
  async #load(extension: AnyExtension): Promise<void> {
    const { props, services } = this.#values;
    this.#requests.abort();
    const requests = new AbortController();
    [this.#props, this.#requests] = [props, requests];
    try {
      const context = { props: props as never, site: services.site };
      const results = await loadResults(extension.queries?.(context) ?? {}, (path) =>
        fetchResult(path, "omit", requests),
      );
      const data = await extension.data({ ...context, results });
      if (requests.signal.aborted || this.#left.signal.aborted) return;
      const { Component } = extension;
      this.#content = data === null ? undefined : { Component, props: { props: props as never, data: data as never } };
      this.#render();
    } catch (error) {
      await this.#fail("render", error);
    }
  }

  #render(): void {
    const options = {
      ...rootOptions,
      identifierPrefix: identifierPrefix(this.#reference, this.#resolved.section.name),
    };
    const element = this.#content ? this.#elementOf(this.#content) : null;
    if (!this.#root && this.#server) this.#root = hydrateRoot(this.#server, element, options);
    else if (this.#root ?? element) (this.#root ??= createRoot(this.#insert(), options)).render(element);
  }

  #elementOf({ Component: Content, props }: Content): ReactElement {
    const { services, navigation, location } = this.#values;
    const { name } = this.#resolved.section;
    // As on the server, where the HTML is shared by all pages that pass the same props.
    const shownLocation = this.#isMounted ? location : { ...location, location: { ...location.location, ...AT_ROOT } };
    const styled = { assets: assetsOf(this.#resolved), name: this.#name, section: name, Component: Content, props };
    return (
      <ExtensionBoundary
        nodes={this.#nodes}
        onMount={() => {
          this.#isMounted = true;
          this.#refresh();
        }}
        onError={(error) => void this.#fail("render", error)}
      >
        <NavigationContext value={navigation}>
          <LocationContext value={shownLocation}>
            <ShellContext value={services}>
              <Styled {...styled} />
            </ShellContext>
          </LocationContext>
        </NavigationContext>
      </ExtensionBoundary>
    );
  }

  /** Inserts an element for the root, in its place among the others. */
  #insert(): Element {
    const { name } = this.#resolved.section;
    const container = document.createElement("div");
    container.setAttribute(EXTENSION_ATTRIBUTE, name);
    const index = this.#order.indexOf(name);
    const next = [...this.#place.children].find((child) => this.#order.indexOf(nameOf(child)) > index);
    this.#place.insertBefore(container, next ?? null);
    return container;
  }

  /** Shows it with the current values of the place. */
  #refresh(): void {
    // Pages create the props anew with each render.
    const isSame = JSON.stringify(this.#values.props) === JSON.stringify(this.#props);
    if (isSame && this.#isMounted) this.#render();
    else if (!isSame && this.#extension) void this.#load(this.#extension);
  }

  update(values: PlaceValues): void {
    this.#values = values;
    if (this.#isMounted || !this.#server) this.#refresh();
  }

  remove(): void {
    this.#left.abort();
    this.#requests.abort();
    // React does not unmount a root while it renders another one.
    setTimeout(() => this.#root?.unmount());
  }

  async #fail(phase: "load" | "render", error: unknown): Promise<void> {
    if (this.#left.signal.aborted) return;
    const { section } = this.#resolved;
    console.warn(`[shell] the extension "${this.#name}" failed to ${phase}:`, error);
    const { deployment } = await provided;
    const isOfRelease = phase === "render" || (await deployment.status()) === "retained";
    if (isOfRelease) deployment.report({ section }, phase, error);
  }
}

function nameOf(element: Element): string {
  return element.getAttribute(EXTENSION_ATTRIBUTE) ?? "";
}

const AT_ROOT = { pathname: "/", search: "", hash: "", state: null, key: "default" };

/**
 * Shows the extensions of a point in its place: hydrates those whose HTML is there, with the values of the first render, and
 * loads and renders the others. Each one is on its own: one that fails leaves what is there.
 */
export function showExtensions(place: Place, extensions: readonly ResolvedExtension[]): ShownExtensions {
  const order = extensions.map(({ section }) => section.name);
  const shown = extensions.map((resolved) => new ShownExtension(place, resolved, order));
  return {
    update(values) {
      for (const extension of shown) extension.update(values);
    },
    remove() {
      for (const extension of shown) extension.remove();
    },
  };
}
