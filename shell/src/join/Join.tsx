import type { JoinReason } from "@colonnade/kit";
import { useCallback, useMemo, useState, type ReactElement } from "react";
import { useLocation } from "react-router-dom";

import type { SlotLoader } from "../loading/slot";
import { useJoinIntent } from "./intent";
import { JoinPlace } from "./JoinPlace";

interface Opened {
  readonly reason: JoinReason;
  /** The page it was opened on: going back or forward leaves the dialog behind along with the page. */
  readonly page: string;
  readonly closed: boolean;
}

/** Whether and why the join dialog is open, and what changes that. The functions are stable. */
export interface JoinState {
  /** Null until it is opened for the first time. */
  readonly opened: Opened | null;
  readonly open: (reason: JoinReason) => void;
  readonly close: () => void;
}

/** Keeps the state of the join dialog. */
export function useJoinState(): JoinState {
  const [opened, setOpened] = useState<Opened | null>(null);
  const open = useCallback((reason: JoinReason) => {
    setOpened({ reason, page: location.pathname, closed: false });
  }, []);
  const close = useCallback(() => {
    setOpened((state) => state && { ...state, closed: true });
  }, []);
  return useMemo(() => ({ opened, open, close }), [opened, open, close]);
}

/** The join dialog, opened by every join form of the site. */
export function Join({
  loader,
  state,
}: {
  readonly loader: SlotLoader;
  readonly state: JoinState;
}): ReactElement | null {
  const { opened, open, close } = state;
  const { pathname } = useLocation();
  const warm = useCallback(() => {
    // A failure shows itself once the dialog is opened.
    loader.load().catch(() => undefined);
  }, [loader]);
  useJoinIntent(open, warm);
  if (!opened) return null;
  return (
    <JoinPlace loader={loader} open={!opened.closed && opened.page === pathname} reason={opened.reason} close={close} />
  );
}
