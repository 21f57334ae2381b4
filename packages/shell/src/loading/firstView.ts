import type { AnyPage } from "@colonnade/kit";
import type { Boot } from "@colonnade/kit/shell";

import type { PinnedDeployment } from "./pinnedDeployment.js";
import { createServerView } from "./serverView.js";
import type { PageView, View } from "./view.js";

/** The view that comes with the document, until the visitor leaves it. */
export class FirstView {
  /** What the server rendered. It needs no loading. */
  view: View | undefined;
  /** The result of a form post. */
  form: Boot["form"];
  /** The component of the page. A view with another one would lose the state of the page. */
  component: PageView["Component"] | undefined;
  /** Whether the code of the page is still loading. */
  codePending = false;
  readonly #left = new AbortController();

  /** `onQueries` is called when the code of a page with queries is loaded. */
  constructor(boot: Boot, path: string, deployment: PinnedDeployment, onQueries: () => void) {
    this.form = boot.form;
    const onCodeLoaded = (page: AnyPage): void => {
      this.codePending = false;
      if (this.view?.kind !== "page") return;
      this.component = this.view.Component;
      if (page.queries) onQueries();
    };
    this.view = createServerView(boot, path, deployment, this.#left.signal, onCodeLoaded);
    this.codePending = this.view?.kind === "page";
  }

  /** The next visit loads the view. */
  drop(): void {
    this.view = undefined;
    this.#left.abort();
  }

  /** On return the page is loaded again, not hydrated: without the form result, and with an error message if its code fails. */
  leave(): void {
    this.drop();
    this.form = undefined;
    this.codePending = false;
  }
}
