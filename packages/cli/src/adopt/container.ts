/** A Module Federation container. */
interface Container {
  init(shareScope: ShareScope): unknown;
  get(module: string): unknown;
}

/** The versions of each shared package. */
type ShareScope = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** How the browser loads the container of a remote. */
export interface ContainerScript {
  /** Path of the script on the site. */
  readonly url: string;
  /** Subresource Integrity value of the script. */
  readonly integrity: string;
  /** The global variable that the script assigns. Absent for an ES module, which exports the container. */
  readonly global?: string;
  /** How long the script may take to load, in milliseconds. */
  readonly timeout: number;
}

/**
 * A container that loads that of a remote, with its digest: when it gets the share scope, or later if that has failed. Browsers
 * run the text of this class, so it uses nothing outside of it.
 */
export class RemoteContainer implements Container {
  readonly #script: ContainerScript;
  #scope: ShareScope = {};
  #loading: Promise<Container> | undefined;

  constructor(script: ContainerScript) {
    this.#script = script;
  }

  init(shareScope: ShareScope): void {
    this.#scope = shareScope;
    // While the page hydrates. A failure is reported when a page needs the remote.
    this.#load().catch(() => undefined);
  }

  // webpack calls it without `this`.
  readonly get = async (module: string): Promise<unknown> => (await this.#load()).get(module);

  #load(): Promise<Container> {
    this.#loading ??= this.#start().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #start(): Promise<Container> {
    const { global } = this.#script;
    const container = await (global === undefined ? this.#import() : this.#run(global));
    await container.init(this.#ownScope());
    return container;
  }

  /** A share scope that the remote may add its versions to. It prefers those that are loaded: the shell's. */
  #ownScope(): ShareScope {
    const loaded = (versions: ShareScope[string]): ShareScope[string] =>
      Object.fromEntries(Object.entries(versions).map(([version, from]) => [version, { ...from, loaded: true }]));
    return Object.fromEntries(Object.entries(this.#scope).map(([name, versions]) => [name, loaded(versions)]));
  }

  /** `import()` has no digest: it finds the module that a preload has verified. */
  async #import(): Promise<Container> {
    const { url } = this.#script;
    await this.#append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: url }));
    return (await import(url)) as Container;
  }

  async #run(global: string): Promise<Container> {
    const { url } = this.#script;
    await this.#append(Object.assign(document.createElement("script"), { src: url }));
    const container = (globalThis as Record<string, unknown>)[global];
    if (!container) throw new Error(`the script ${url} does not define the container ${global}`);
    return container as Container;
  }

  async #append(element: HTMLLinkElement | HTMLScriptElement): Promise<void> {
    const { url, integrity, timeout } = this.#script;
    Object.assign(element, { crossOrigin: "anonymous", integrity });
    await new Promise<unknown>((resolve, reject) => {
      const fail = (type: "error" | "timeout"): void => {
        // The shell knows this error of webpack, and loads what has failed again.
        const properties = { name: "ChunkLoadError", request: url, type };
        reject(Object.assign(new Error(`the script ${url} failed to load: ${type}`), properties));
      };
      element.onload = resolve;
      element.onerror = () => {
        fail("error");
      };
      setTimeout(fail, timeout, "timeout");
      document.head.append(element);
    }).finally(() => {
      element.remove();
    });
  }
}
