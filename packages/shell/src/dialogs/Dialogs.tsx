import type { DialogParams } from "@colonnade/kit";
import { useCallback, useEffect, useMemo, useState, type ReactElement } from "react";
import { useLocation } from "react-router-dom";

import { takeDialog } from "../loading/pinnedDeployment.js";
import type { DialogParts } from "../parts.js";
import type { Slots } from "../Slot.js";
import { DialogContent } from "./DialogContent.js";
import { useDialogIntent } from "./dialogIntent.js";

interface Opened {
  readonly slot: string;
  readonly params: DialogParams;
  readonly closed: boolean;
}

/** The dialog of a document. The functions are stable. */
interface DialogState {
  /** The last dialog that was opened. It stays mounted after it closes. Null until one is opened. */
  readonly opened: Opened | null;
  readonly open: (slot: string, params: DialogParams) => void;
  readonly close: () => void;
}

/** Holds the state of the dialogs. Navigating to another page closes the open one. */
export function useDialogs(): DialogState {
  const { pathname } = useLocation();
  const [page, setPage] = useState(pathname);
  const [opened, setOpened] = useState<Opened | null>(null);
  if (page !== pathname) {
    setPage(pathname);
    setOpened(opened && { ...opened, closed: true });
  }
  const open = useCallback((slot: string, params: DialogParams) => {
    setOpened({ slot, params, closed: false });
  }, []);
  const close = useCallback(() => {
    setOpened((state) => state && { ...state, closed: true });
  }, []);
  return useMemo(() => ({ opened, open, close }), [opened, open, close]);
}

interface DialogsProps {
  readonly parts: Readonly<Record<string, DialogParts>>;
  readonly slots: Slots;
  readonly state: DialogState;
}

/** The dialogs of the slots that a section fills. Each opens by the forms of all sections that name its slot. */
export function Dialogs({ parts, slots, state }: DialogsProps): ReactElement | null {
  const { loaders, deployment } = slots;
  const { opened, open, close } = state;
  const names = useMemo(() => Object.keys(parts).filter((slot) => loaders[slot]), [parts, loaders]);
  const preload = useCallback(
    (slot: string) => {
      // A failure shows once the dialog is opened.
      loaders[slot]?.load().catch(() => undefined);
    },
    [loaders],
  );
  useDialogIntent(names, open, preload);
  useEffect(() => {
    const dialog = takeDialog();
    if (dialog) open(dialog.slot, dialog.params);
  }, [open]);
  const part = opened && parts[opened.slot];
  const loader = opened && loaders[opened.slot];
  if (!part || !loader) return null;
  const { slot, params, closed } = opened;
  return <DialogContent key={slot} {...{ slot, parts: part, loader, deployment, params, close }} open={!closed} />;
}
