import type { JoinReason } from "@colonnade/kit";
import { useCallback, useEffect, useMemo, useState, type ReactElement } from "react";
import { useLocation } from "react-router-dom";

import { takeJoinReason, type PinnedDeployment } from "../loading/pinnedDeployment";
import type { SlotLoader } from "../loading/slotLoader";
import { useJoinIntent } from "./joinIntent";
import { JoinSlot } from "./JoinSlot";

interface Opened {
  readonly reason: JoinReason;
  readonly closed: boolean;
}

/** State of the join dialog. The functions are stable. */
interface JoinState {
  /** Null until the dialog is first opened. */
  readonly opened: Opened | null;
  readonly open: (reason: JoinReason) => void;
  readonly close: () => void;
}

/** Holds the state of the join dialog. Navigating to another page closes it. */
export function useJoinState(): JoinState {
  const { pathname } = useLocation();
  const [page, setPage] = useState(pathname);
  const [opened, setOpened] = useState<Opened | null>(null);
  if (page !== pathname) {
    setPage(pathname);
    setOpened(opened && { ...opened, closed: true });
  }
  const open = useCallback((reason: JoinReason) => {
    setOpened({ reason, closed: false });
  }, []);
  const close = useCallback(() => {
    setOpened((state) => state && { ...state, closed: true });
  }, []);
  return useMemo(() => ({ opened, open, close }), [opened, open, close]);
}

interface JoinDialogProps {
  readonly loader: SlotLoader;
  readonly deployment: PinnedDeployment;
  readonly state: JoinState;
}

/** The join dialog, opened by every join form of the site. */
export function JoinDialog({ loader, deployment, state }: JoinDialogProps): ReactElement | null {
  const { opened, open, close } = state;
  const preload = useCallback(() => {
    // A failure shows once the dialog is opened.
    loader.load().catch(() => undefined);
  }, [loader]);
  useJoinIntent(open, preload);
  useEffect(() => {
    const reason = takeJoinReason();
    if (reason) open(reason);
  }, [open]);
  if (!opened) return null;
  return (
    <JoinSlot loader={loader} deployment={deployment} open={!opened.closed} reason={opened.reason} close={close} />
  );
}
