// Part of what loads after the first view.
import { isPagePath, type DialogProps } from "@colonnade/kit";
import { DIALOG_ATTRIBUTE } from "@colonnade/kit/shell";
import {
  Component,
  Suspense,
  use,
  useCallback,
  useEffect,
  useState,
  type ComponentType,
  type ReactElement,
  type ReactNode,
} from "react";
import { useLocation, useNavigate } from "react-router-dom";

import { DeploymentGoneError } from "../loading/pageEndpoint.js";
import type { OpenedDialog, PinnedDeployment } from "../loading/pinnedDeployment.js";
import { hasTypedText, isReachable, reloadDocument } from "../loading/reload.js";
import { NotExposedError, type ExposedComponent } from "../loading/remotes.js";
import { NO_STYLES, useStyles } from "../loading/styles.js";
import { trackPromise } from "../loading/trackPromise.js";
import type { DialogParts, RetryProps } from "../parts.js";
import { SectionRoot } from "../SectionRoot.js";

/** What a visitor opened, and on which page. */
export interface DialogRequest extends OpenedDialog {
  /** Path of the page. */
  readonly at: string;
}

/** Props of what shows a dialog. */
export interface DialogViewProps {
  readonly parts: DialogParts;
  /** What was opened last. The dialog stays mounted after it closes. */
  readonly request: DialogRequest;
}

/** Props of the parts of a dialog. */
interface DialogContentProps extends DialogViewProps {
  readonly open: boolean;
  readonly close: () => void;
}

/** Loads dialogs. */
export interface DialogLoader {
  /** Loads the code of a dialog, such as `news/newsletter`. */
  preload(dialog: string): void;
  /** Shows a dialog, whose code loads on first use. Its key is the dialog. */
  readonly View: ComponentType<DialogViewProps>;
}

interface DialogLoaderOptions {
  /** Loads a component that a section exposes. Reports a fault of its release. */
  readonly loadComponent: (id: string) => Promise<ExposedComponent>;
  readonly deployment: PinnedDeployment;
}

/** A dialog, or why there is none: no live section exposes it, or it is gone with the pinned deployment. */
type Loaded = ExposedComponent | "notExposed" | "gone";

/** Loads each dialog once, until it is forgotten. */
class DialogCode {
  readonly #options: DialogLoaderOptions;
  readonly #loading = new Map<string, Promise<Loaded>>();
  readonly #loaded = new Map<string, ExposedComponent>();

  constructor(options: DialogLoaderOptions) {
    this.#options = options;
  }

  /** Rejects if it failed. Returns the same promise until it is forgotten. */
  load(dialog: string): Promise<Loaded> {
    const loading = this.#loading.get(dialog) ?? trackPromise(this.#load(dialog));
    this.#loading.set(dialog, loading);
    return loading;
  }

  async #load(dialog: string): Promise<Loaded> {
    try {
      const loaded = await this.#options.loadComponent(dialog);
      this.#loaded.set(dialog, loaded);
      return loaded;
    } catch (error) {
      if (!(error instanceof NotExposedError) && (await this.#options.deployment.status()) === "gone") return "gone";
      console.warn(`[shell] the dialog "${dialog}" failed to load:`, error);
      if (error instanceof NotExposedError) return "notExposed";
      throw error;
    }
  }

  forget(dialog: string): void {
    this.#loading.delete(dialog);
    this.#loaded.delete(dialog);
  }

  /** Reports an error of a dialog that is loaded. */
  reportThrown(dialog: string, error: unknown): void {
    const loaded = this.#loaded.get(dialog);
    if (!loaded) return;
    console.warn(`[shell] the dialog "${dialog}" failed while rendering:`, error);
    this.#options.deployment.report(loaded, "render", error);
  }
}

interface BoundaryProps {
  readonly onError: (error: unknown) => void;
  readonly onRetry: () => void;
  readonly fallback: (retry: RetryProps["retry"]) => ReactNode;
  readonly children: ReactNode;
}

/** Contains the errors of a dialog. */
class DialogBoundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };
  #failures = 0;

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.#failures += 1;
    this.props.onError(error);
  }

  readonly #retry = (): void | Promise<void> => {
    // A second failure is not transient. A new document may have a newer release of the section.
    if (this.#failures > 1) return this.#retryInNewDocument();
    this.#renderAgain();
  };

  async #retryInNewDocument(): Promise<void> {
    // The page below still works, so a reload must not lose what was typed there.
    if (!hasTypedText() && (await isReachable(location.pathname))) await reloadDocument();
    this.#renderAgain();
  }

  #renderAgain(): void {
    this.props.onRetry();
    this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback(this.#retry) : this.props.children;
  }
}

interface ReloadProps extends DialogContentProps {
  readonly deployment: PinnedDeployment;
}

/** Reloads the document because the dialog is gone with the pinned deployment. Throws if no reload is possible. */
function Reload({ parts, request, close, deployment }: ReloadProps): ReactElement {
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let active = true;
    const { dialog, params, page } = request;
    // Checked first: the current page must not be replaced by a network error.
    void isReachable(location.pathname).then((reachable) => {
      const reloaded = { dialog, params, ...(page !== undefined && { page }) };
      if (active && !(reachable && deployment.reload({ dialog: reloaded }))) setFailed(true);
    });
    return () => {
      active = false;
    };
  }, [deployment, request]);
  if (failed) throw new DeploymentGoneError();
  return <parts.Loading close={close} />;
}

/** Opens the page of a dialog that no live section exposes. */
function Leave({ request: { page }, close }: DialogContentProps): null {
  const navigate = useNavigate();
  useEffect(() => {
    close();
    if (page === undefined) return;
    if (isPagePath(page)) void navigate(page);
    else location.assign(page);
  }, [page, close, navigate]);
  return null;
}

interface ShownProps extends DialogContentProps {
  readonly loaded: ExposedComponent;
}

function Shown({ request: { dialog, params }, open, close, loaded }: ShownProps): ReactElement {
  useStyles(open ? loaded.assets : NO_STYLES, dialog);
  const Dialog = loaded.Component as ComponentType<DialogProps>;
  return (
    <SectionRoot name={loaded.section.name}>
      <Dialog open={open} params={params} close={close} />
    </SectionRoot>
  );
}

/** Whether a dialog is open. Navigating to another page closes it. */
function useOpen(request: DialogRequest): { readonly open: boolean; readonly close: () => void } {
  const { pathname } = useLocation();
  const [closed, setClosed] = useState<DialogRequest | null>(null);
  if (request.at !== pathname && closed !== request) setClosed(request);
  const close = useCallback(() => {
    setClosed(request);
  }, [request]);
  return { open: closed !== request, close };
}

/** Creates what loads dialogs: modules that sections expose. */
export function createDialogLoader(options: DialogLoaderOptions): DialogLoader {
  const code = new DialogCode(options);

  function Content(props: DialogContentProps): ReactElement | null {
    const loaded = use(code.load(props.request.dialog));
    if (typeof loaded === "object") return <Shown {...props} loaded={loaded} />;
    if (!props.open) return null;
    return loaded === "gone" ? <Reload {...props} deployment={options.deployment} /> : <Leave {...props} />;
  }

  return {
    preload(dialog) {
      code.load(dialog).catch(() => undefined);
    },
    View(props) {
      const { parts, request } = props;
      const { dialog } = request;
      const { open, close } = useOpen(request);
      return (
        <DialogBoundary
          onError={(error) => {
            code.reportThrown(dialog, error);
          }}
          onRetry={() => {
            code.forget(dialog);
          }}
          fallback={(retry) => open && <parts.Failed close={close} retry={retry} />}
        >
          <Suspense fallback={open && <parts.Loading close={close} />}>
            <Content {...props} open={open} close={close} />
          </Suspense>
        </DialogBoundary>
      );
    },
  };
}

/** Loads the dialogs that forms and links of the document open. */
export function preloadDialogs(loader: DialogLoader): void {
  const openers = document.querySelectorAll(`[${DIALOG_ATTRIBUTE}]`);
  const dialogs = new Set([...openers].map((opener) => opener.getAttribute(DIALOG_ATTRIBUTE) ?? ""));
  for (const dialog of dialogs) loader.preload(dialog);
}
