import { useHydrated, useRemotes } from "@colonnade/kit";
import {
  createElement,
  Suspense,
  use,
  useCallback,
  useDeferredValue,
  useMemo,
  type ComponentType,
  type ReactElement,
  type ReactNode,
} from "react";

import type { Remotes, RemoteViewProps } from "../remoteLoader.js";

/**
 * The modules that the sections of the site expose, by `section/Name`. `colonnade types` declares those of the live releases, so
 * that {@link Remote} and {@link useLoadRemote} know their types, and accept no other module. Without
 * declared modules, they accept any name.
 *
 * @example
 * ```ts
 * import "@colonnade/kit/remotes";
 *
 * declare module "@colonnade/kit/remotes" {
 *   interface RemoteModules {
 *     "catalog/PriceTag": typeof import("./types/catalog/PriceTag");
 *   }
 * }
 * ```
 */
// Empty until a declaration is merged into it.
// oxlint-disable-next-line typescript/no-empty-object-type
export interface RemoteModules {}

type DeclaredId = Extract<keyof RemoteModules, string>;

/** ID of a module, such as `catalog/PriceTag`: a declared one. Without declared modules, any string. */
export type RemoteId = [DeclaredId] extends [never] ? string : DeclaredId;

// Without declared modules, the ID is `string`, which no template matches.
type SectionOf<Id> = Id extends `${infer Section}/${string}` ? Section : Id;
type NameOf<Id, Section extends string> = Id extends `${Section}/${infer Name}`
  ? Name
  : string extends Id
    ? string
    : never;

/** A module of another section: as declared, or unknown. */
export type RemoteModule<Id extends string> = Id extends keyof RemoteModules
  ? RemoteModules[Id]
  : Readonly<Record<string, unknown>>;

// A module without types has unknown members. One with types and no component as its default export is for `useLoadRemote()`: no
// element has the props `never`.
type PropsOf<Module> = Module extends { readonly default: ComponentType<infer Props> }
  ? Props
  : string extends keyof Module
    ? Readonly<Record<string, unknown>>
    : never;

/** Props of {@link Remote}, and those of the component. */
export type RemoteProps<From extends string, Module extends string> = PropsOf<RemoteModule<`${From}/${Module}`>> & {
  /** Name of the section that exposes the module. */
  readonly from: From;
  /** Name of the module, without `./`. */
  readonly module: Module;
  /** Shown on the server, until the component is loaded, and in place of one that fails or is not live. Default: nothing. */
  readonly fallback?: ReactNode;
};

type RemoteView = ComponentType<RemoteViewProps>;

interface ViewProps extends RemoteViewProps {
  readonly loading: Promise<RemoteView> | null;
}

function Failed({ fallback }: RemoteViewProps): ReactNode {
  return fallback;
}

/** A component that is mounted later than this after a failure starts the runtime again, in milliseconds. */
const RETRY_AFTER = 5_000;
/** The views that wait for the start of the runtime, by the ID of their module. */
const waiting = new WeakMap<Remotes, Map<string, Promise<RemoteView>>>();

/** Returns the same promise for each call: a suspended update that resumes calls it again. */
function viewOf(remotes: Remotes, id: string): Promise<RemoteView> {
  if (remotes.loaded) return remotes.loaded.view(id);
  const views = waiting.get(remotes) ?? new Map<string, Promise<RemoteView>>();
  waiting.set(remotes, views);
  const view = views.get(id) ?? startedView(remotes, id, views);
  views.set(id, view);
  return view;
}

async function startedView(remotes: Remotes, id: string, views: Map<string, Promise<RemoteView>>): Promise<RemoteView> {
  try {
    return await (await remotes.start()).view(id);
  } catch (error) {
    console.warn(`[shell] the remote "${id}" is not shown:`, error);
    setTimeout(() => views.delete(id), RETRY_AFTER);
    return Failed;
  }
}

// Without a module it is `Failed`, as when the module fails: the elements of the fallback stay.
function View({ loading, ...props }: ViewProps): ReactElement {
  return createElement(loading ? use(loading) : Failed, props);
}

/**
 * Shows a component that another section exposes: the default export of its module. It is loaded in the browser, in the release
 * that is live for the visitor; the server renders `fallback`. An error in the component replaces only the component. Other props
 * are passed to it.
 *
 * @throws Error outside the shell. In tests, render with `renderPage()` from `@colonnade/kit/testing`.
 *
 * @example
 * ```tsx
 * import { Remote } from "@colonnade/kit/remotes";
 *
 * export const Offer = () => (
 *   <Remote from="catalog" module="PriceTag" fallback={<p>See the catalog for the price.</p>} product="tea" />
 * );
 * ```
 */
export function Remote<From extends SectionOf<RemoteId>, Module extends NameOf<RemoteId, From>>({
  from,
  module,
  fallback = null,
  ...props
}: RemoteProps<From, Module>): ReactNode {
  const remotes = useRemotes();
  // Deferred: an urgent update would replace the server's HTML by an equal one while the module loads.
  const hydrated = useDeferredValue(useHydrated());
  const loading = useMemo(
    () => (hydrated && remotes ? viewOf(remotes, `${from}/${module}`) : null),
    [hydrated, remotes, from, module],
  );
  return (
    <Suspense fallback={fallback}>
      <View loading={loading} fallback={fallback} props={props} />
    </Suspense>
  );
}

/**
 * Returns a function that loads a module that another section exposes, by its ID, such as `catalog/prices`. Use it for functions
 * and values, in event handlers and effects; for a component, use {@link Remote}, which brings its stylesheets. The promise
 * rejects if the module is not live or does not load.
 *
 * @throws Error outside the shell. In tests, render with `renderPage()` from `@colonnade/kit/testing`.
 *
 * @example
 * ```tsx
 * import { useLoadRemote } from "@colonnade/kit/remotes";
 *
 * export function Add({ product }: { readonly product: string }) {
 *   const loadRemote = useLoadRemote();
 *   const add = async () => {
 *     const cart = await loadRemote("shop/cart");
 *     (cart.add as (product: string) => void)(product);
 *   };
 *   return <button onClick={() => void add()}>Add to cart</button>;
 * }
 * ```
 */
export function useLoadRemote(): <Id extends RemoteId>(id: Id) => Promise<RemoteModule<Id>> {
  const remotes = useRemotes();
  return useCallback(
    async (id: string) => {
      if (!remotes) throw new Error("remote modules load in the browser only");
      const loader = await remotes.start();
      return loader.load(id);
    },
    [remotes],
  ) as <Id extends RemoteId>(id: Id) => Promise<RemoteModule<Id>>;
}
