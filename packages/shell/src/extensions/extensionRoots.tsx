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
interface PlaceValues {
  readonly services: ShellServices;
  readonly navigation: ContextType<typeof NavigationContext>;
  readonly location: ContextType<typeof LocationContext>;
  /** The props of the point. */
  readonly props: object;
}

/** The extensions in the place of a point. */
export interface ShownExtensions {
  /** Renders them with these values. Null renders nothing else. */
  update(values: PlaceValues | null): void;
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
  #container: Element | undefined;
  #root: Root | undefined;
  #values: PlaceValues;
  #content: Content | undefined;
  #extension: AnyExtension | undefined;
  /** Whether React has rendered it. An update of what is not hydrated would discard its HTML. */
  #isMounted = false;
  #requests = new AbortController();

  constructor(
    place: Element,
    reference: string,
    resolved: ResolvedExtension,
    order: readonly string[],
    values: PlaceValues,
  ) {
    this.#place = place;
    this.#reference = reference;
    this.#resolved = resolved;
    this.#order = order;
    this.#values = values;
    this.#container = [...place.children].find((child) => this.#nameOf(child) === resolved.section.name);
    void this.#start();
  }

  get #name(): string {
    return `${this.#reference} ${this.#resolved.section.name}`;
  }

  #nameOf(element: Element): string {
    return element.getAttribute(EXTENSION_ATTRIBUTE) ?? "";
  }

  async #start(): Promise<void> {
    const { bytes } = this.#resolved;
    const { signal } = this.#requests;
    try {
      const loading = loadExtension(this.#reference, this.#name, this.#resolved);
      this.#extension = await withTimeout(loading, viewTimeout(bytes), `the extension "${this.#name}"`);
      if (!signal.aborted) await this.#show(this.#values, this.#resolved.data);
    } catch (error) {
      // The server's HTML stays.
      if (!signal.aborted) await this.#fail("load", error);
    }
  }

  /** Loads the data, unless it is there, and renders. */
  async #show({ props, services }: PlaceValues, known?: unknown): Promise<void> {
    const extension = this.#extension;
    if (!extension) return;
    const { signal } = this.#requests;
    const context = { props: props as never, site: services.site };
    const queries = known === undefined ? (extension.queries?.(context) ?? {}) : {};
    const results = await loadResults(queries, (path) => fetchResult(path, "omit", this.#requests));
    const data = known ?? (await extension.data({ ...context, results }));
    if (signal.aborted) return;
    this.#content =
      data === null
        ? undefined
        : { Component: extension.Component, props: { props: props as never, data: data as never } };
    this.#render();
  }

  #render(): void {
    const [content, server] = [this.#content, this.#root ? undefined : this.#container];
    if (!content) {
      this.#root?.render(null);
      return;
    }
    const element = this.#elementOf(content, [...(server?.childNodes ?? [])]);
    const options = {
      ...rootOptions,
      identifierPrefix: identifierPrefix(this.#reference, this.#resolved.section.name),
    };
    if (server) this.#root = hydrateRoot(server, element, options);
    else {
      this.#root ??= createRoot(this.#insert(), options);
      this.#root.render(element);
    }
  }

  #elementOf({ Component: Content, props }: Content, nodes: readonly ChildNode[]): ReactElement {
    const { services, navigation, location } = this.#values;
    const { name } = this.#resolved.section;
    // As on the server, where the HTML is shared by all pages that pass the same props.
    const shownLocation = this.#isMounted ? location : { ...location, location: { ...location.location, ...AT_ROOT } };
    return (
      <ExtensionBoundary
        nodes={nodes}
        onMount={() => {
          this.#isMounted = true;
          this.#render();
        }}
        onError={(error) => void this.#fail("render", error)}
      >
        <NavigationContext value={navigation}>
          <LocationContext value={shownLocation}>
            <ShellContext value={services}>
              <Styled
                {...{ assets: assetsOf(this.#resolved), name: this.#name, section: name, Component: Content, props }}
              />
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
    const next = [...this.#place.children].find((child) => this.#order.indexOf(this.#nameOf(child)) > index);
    this.#place.insertBefore(container, next ?? null);
    this.#container = container;
    return container;
  }

  update(values: PlaceValues): void {
    const before = this.#values;
    this.#values = values;
    // Pages create the props anew with each render.
    if (JSON.stringify(values.props) !== JSON.stringify(before.props)) {
      this.#requests.abort();
      this.#requests = new AbortController();
      this.#show(values).catch((error: unknown) => this.#fail("render", error));
    } else if (this.#isMounted && !isSameContext(values, before)) this.#render();
  }

  remove(): void {
    this.#requests.abort();
    // React does not unmount a root while it renders another one.
    setTimeout(() => this.#root?.unmount());
  }

  async #fail(phase: "load" | "render", error: unknown): Promise<void> {
    const { section } = this.#resolved;
    console.warn(`[shell] the extension "${this.#name}" failed to ${phase}:`, error);
    const { deployment } = await provided;
    const isOfRelease = phase === "render" || (await deployment.status()) === "retained";
    if (isOfRelease) deployment.report({ section }, phase, error);
  }
}

const AT_ROOT = { pathname: "/", search: "", hash: "", state: null, key: "default" };

function isSameContext(one: PlaceValues, other: PlaceValues): boolean {
  return one.services === other.services && one.navigation === other.navigation && one.location === other.location;
}

/**
 * Shows the extensions of a point in its place: hydrates those whose HTML is there, and loads and renders the others. Each one is
 * on its own: one that fails leaves what is there.
 */
export function showExtensions(
  place: Element,
  reference: string,
  extensions: readonly ResolvedExtension[],
  values: PlaceValues | null,
): ShownExtensions {
  const order = extensions.map(({ section }) => section.name);
  const shown = values
    ? extensions.map((resolved) => new ShownExtension(place, reference, resolved, order, values))
    : [];
  return {
    update(next) {
      if (next) for (const extension of shown) extension.update(next);
    },
    remove() {
      for (const extension of shown) extension.remove();
    },
  };
}
