import type { DialogParams } from "@colonnade/kit";
import { useCallback, useEffect, useMemo, useState, type ReactElement } from "react";
import { useLocation } from "react-router-dom";

import { takeDialog } from "../loading/pinnedDeployment.js";
import type { DialogParts } from "../parts.js";
import type { Slots } from "../Slot.js";
import { DialogContent } from "./DialogContent.js";
import { useDialogIntent } from "./dialogIntent.js";

interface Opened {
  readonly params: DialogParams;
  readonly closed: boolean;
}

/** The dialogs that were opened, by the name of their slot. The functions are stable. */
interface DialogsState {
  readonly opened: Readonly<Record<string, Opened>>;
  readonly open: (slot: string, params: DialogParams) => void;
  readonly close: (slot: string) => void;
}

function closeAll(opened: DialogsState["opened"]): DialogsState["opened"] {
  return Object.fromEntries(Object.entries(opened).map(([slot, state]) => [slot, { ...state, closed: true }]));
}

/** Holds the state of the dialogs. Navigating to another page closes them. */
export function useDialogs(): DialogsState {
  const { pathname } = useLocation();
  const [page, setPage] = useState(pathname);
  const [opened, setOpened] = useState<DialogsState["opened"]>({});
  if (page !== pathname) {
    setPage(pathname);
    setOpened(closeAll(opened));
  }
  const open = useCallback((slot: string, params: DialogParams) => {
    setOpened((state) => ({ ...closeAll(state), [slot]: { params, closed: false } }));
  }, []);
  const close = useCallback((slot: string) => {
    setOpened(({ [slot]: state, ...others }) => (state ? { ...others, [slot]: { ...state, closed: true } } : others));
  }, []);
  return useMemo(() => ({ opened, open, close }), [opened, open, close]);
}

interface DialogsProps {
  readonly parts: Readonly<Record<string, DialogParts>>;
  readonly slots: Slots;
  readonly state: DialogsState;
}

/** The dialogs of the slots that a section fills. Each opens by the forms of all sections that name its slot. */
export function Dialogs({ parts, slots, state }: DialogsProps): ReactElement {
  const { loaders, deployment } = slots;
  const { opened, open, close } = state;
  const has = useCallback((slot: string) => slot in parts && slot in loaders, [parts, loaders]);
  const preload = useCallback(
    (slot: string) => {
      // A failure shows once the dialog is opened.
      loaders[slot]?.load().catch(() => undefined);
    },
    [loaders],
  );
  const names = useMemo(() => Object.keys(parts).filter(has), [parts, has]);
  useDialogIntent(names, open, preload);
  useEffect(() => {
    const dialog = takeDialog();
    if (dialog && has(dialog.slot)) open(dialog.slot, dialog.params);
  }, [has, open]);
  return (
    <>
      {names.map((slot) => {
        const { [slot]: dialog } = opened;
        const { [slot]: loader } = loaders;
        const { [slot]: part } = parts;
        if (!dialog || !loader || !part) return null;
        return (
          <DialogContent
            key={slot}
            slot={slot}
            parts={part}
            loader={loader}
            deployment={deployment}
            open={!dialog.closed}
            params={dialog.params}
            close={() => {
              close(slot);
            }}
          />
        );
      })}
    </>
  );
}
