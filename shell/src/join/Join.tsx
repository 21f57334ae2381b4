import type { JoinReason } from "@colonnade/kit";
import { useCallback, useEffect, useMemo, useState, type ReactElement } from "react";
import { useLocation } from "react-router-dom";

import type { SlotLoader } from "../loading/slot";
import { takeJoin, type Tab } from "../loading/tab";
import { useJoinIntent } from "./intent";
import { JoinPlace } from "./JoinPlace";

interface Opened {
  readonly reason: JoinReason;
  readonly closed: boolean;
}

/** Whether and why the join dialog is open, and what changes that. The functions are stable. */
export interface JoinState {
  /** Null until it is opened for the first time. */
  readonly opened: Opened | null;
  readonly open: (reason: JoinReason) => void;
  readonly close: () => void;
}

/** Keeps the state of the join dialog, which leaving the page closes. */
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

/** The join dialog, opened by every join form of the site. */
export function Join({
  loader,
  tab,
  state,
}: {
  readonly loader: SlotLoader;
  readonly tab: Tab;
  readonly state: JoinState;
}): ReactElement | null {
  const { opened, open, close } = state;
  const warm = useCallback(() => {
    // A failure shows itself once the dialog is opened.
    loader.load().catch(() => undefined);
  }, [loader]);
  useJoinIntent(open, warm);
  useEffect(() => {
    const reason = takeJoin();
    if (reason) open(reason);
  }, [open]);
  if (!opened) return null;
  return <JoinPlace loader={loader} tab={tab} open={!opened.closed} reason={opened.reason} close={close} />;
}
