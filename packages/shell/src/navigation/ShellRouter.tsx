import { startTransition, useLayoutEffect, useState, type ReactElement, type ReactNode } from "react";
import { Router } from "react-router-dom";

import type { RouterHistory, RouterState } from "./history.js";

interface ShellRouterProps {
  readonly history: RouterHistory;
  /** What the first render has. Default: the current state. */
  readonly initial?: RouterState;
  readonly children: ReactNode;
}

/** React Router's `BrowserRouter`, with a history that delays back and forward until the page is loaded. */
export function ShellRouter({ history, initial = history.state, children }: ShellRouterProps): ReactElement {
  const [{ action, location }, setState] = useState(initial);
  useLayoutEffect(() => {
    const update = (): void => {
      startTransition(() => {
        setState(history.state);
      });
    };
    // A state published before hydration.
    update();
    return history.subscribe(update);
  }, [history]);
  return (
    <Router location={location} navigationType={action} navigator={history.navigator}>
      {children}
    </Router>
  );
}
