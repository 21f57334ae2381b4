import type { DialogParams } from "@colonnade/kit";
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactElement } from "react";
import { useLocation, useNavigate } from "react-router-dom";

import { takeDialog } from "../loading/pinnedDeployment.js";
import type { DialogParts } from "../parts.js";
import { useDialogIntent } from "./dialogIntent.js";
import type { DialogLoader, DialogRequest } from "./dialogLoader.js";

/** The dialog of a document. The functions are stable. */
interface DialogState {
  /** What was opened last. Null until a dialog is opened. */
  readonly request: DialogRequest | null;
  readonly open: (dialog: string, params: DialogParams, page?: string) => void;
  readonly cancel: () => void;
}

/** Holds what was opened last. */
export function useDialogs(): DialogState {
  const [request, setRequest] = useState<DialogRequest | null>(null);
  const { pathname } = useLocation();
  // While a navigation is pending, the URL is already that of the next page.
  const at = useRef(pathname);
  useLayoutEffect(() => {
    at.current = pathname;
  }, [pathname]);
  const open = useCallback((dialog: string, params: DialogParams, page?: string) => {
    setRequest({ dialog, params, ...(page !== undefined && { page }), at: at.current });
  }, []);
  const cancel = useCallback(() => {
    setRequest(null);
  }, []);
  return { request, open, cancel };
}

interface DialogsProps {
  readonly parts: DialogParts;
  /** Starts what loads and shows dialogs. It is no part of the first view. */
  readonly start: () => Promise<{ readonly dialogs: DialogLoader }>;
  readonly state: DialogState;
}

/** The dialogs that sections expose. Forms and links of all sections open them. */
export function Dialogs({ parts, start, state: { request, open, cancel } }: DialogsProps): ReactElement | null {
  const [loader, setLoader] = useState<DialogLoader>();
  const navigate = useNavigate();
  useDialogIntent(open, start);
  useEffect(() => {
    const dialog = takeDialog();
    if (dialog) open(dialog.dialog, dialog.params, dialog.page);
  }, [open]);
  useEffect(() => {
    let active = request !== null;
    if (active)
      start().then(
        ({ dialogs }) => {
          setLoader(dialogs);
        },
        (error: unknown) => {
          console.warn("[shell] dialogs failed to load:", error);
          if (!active) return;
          cancel();
          if (request?.page !== undefined) void navigate(request.page);
        },
      );
    return () => {
      active = false;
    };
  }, [request, start, cancel, navigate]);
  if (!request) return null;
  return loader ? <loader.View key={request.dialog} {...{ parts, request }} /> : <parts.Loading close={cancel} />;
}
