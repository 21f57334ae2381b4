import type { DialogParams } from "@colonnade/kit";
import { useCallback, useEffect, useMemo, useState, type ReactElement } from "react";
import { useLocation } from "react-router-dom";

import { takeDialog } from "../loading/pinnedDeployment.js";
import type { DialogModule, DialogParts } from "../parts.js";
import type { Slots } from "../Slot.js";
import type { DialogContent } from "./DialogContent.js";
import { useDialogIntent } from "./dialogIntent.js";

/** The dialogs of a shell, by the name of their slot. */
export type DialogModules = Readonly<Record<string, () => Promise<DialogModule>>>;

/** The shell's own code of a dialog, which loads after the first view. */
interface DialogCode {
  readonly parts: DialogParts;
  readonly Content: typeof DialogContent;
}

interface Opened {
  readonly slot: string;
  readonly params: DialogParams;
  readonly closed: boolean;
  readonly code: DialogCode;
}

interface Dialogs {
  /** Opens a dialog, unless no section fills its slot. If its code does not load, opens `page` instead. */
  readonly open: (slot: string, params: DialogParams, page?: string) => void;
  /** The last dialog that was opened. It stays mounted after it closes. */
  readonly element: ReactElement | null;
}

/** The dialogs of the slots that a section fills. */
class DialogLoader {
  readonly names: readonly string[];
  readonly #modules: DialogModules;
  readonly #loaders: Slots["loaders"];
  readonly #codes = new Map<string, Promise<DialogCode>>();

  constructor(modules: DialogModules, slots: Slots | null) {
    this.#modules = modules;
    this.#loaders = slots?.loaders ?? {};
    this.names = Object.keys(modules).filter((slot) => this.#loaders[slot]);
  }

  /** Loads the shell's code of a dialog, once. A failed load is retried by the next call. */
  load(slot: string): Promise<DialogCode> | undefined {
    const load = this.names.includes(slot) ? this.#modules[slot] : undefined;
    let code = this.#codes.get(slot);
    if (code || !load) return code;
    code = Promise.all([load(), import("./DialogContent.js")]).then(([{ dialog }, { DialogContent }]) => ({
      parts: dialog,
      Content: DialogContent,
    }));
    this.#codes.set(slot, code);
    code.catch(() => this.#codes.delete(slot));
    return code;
  }

  /** Loads all code of a dialog. A failure shows once the dialog is opened. */
  preload(slot: string): void {
    for (const loading of [this.load(slot), this.#loaders[slot]?.load()]) loading?.catch(() => undefined);
  }
}

/** Each dialog opens by the forms of all sections that name its slot. Navigating to another page closes the open one. */
export function useDialogs(modules: DialogModules, slots: Slots | null): Dialogs {
  const { pathname } = useLocation();
  const [page, setPage] = useState(pathname);
  const [opened, setOpened] = useState<Opened | null>(null);
  if (page !== pathname) {
    setPage(pathname);
    setOpened(opened && { ...opened, closed: true });
  }
  const loader = useMemo(() => new DialogLoader(modules, slots), [modules, slots]);
  const open = useCallback<Dialogs["open"]>(
    (slot, params, fallback) => {
      loader.load(slot)?.then(
        (code) => {
          setOpened({ slot, params, closed: false, code });
        },
        (error: unknown) => {
          console.warn(`[shell] the dialog "${slot}" failed to load:`, error);
          if (fallback !== undefined) location.assign(fallback);
        },
      );
    },
    [loader],
  );
  useDialogIntent(loader, open);
  useEffect(() => {
    const dialog = takeDialog();
    if (dialog) open(dialog.slot, dialog.params);
  }, [open]);
  return { open, element: opened && slots && <OpenedDialog {...{ opened, setOpened, slots }} /> };
}

interface OpenedDialogProps {
  readonly opened: Opened;
  readonly setOpened: (opened: Opened) => void;
  readonly slots: Slots;
}

function OpenedDialog({ opened, setOpened, slots }: OpenedDialogProps): ReactElement | null {
  const { slot, params, closed, code } = opened;
  const { loaders, deployment } = slots;
  const { [slot]: loader } = loaders;
  const close = useCallback(() => {
    setOpened({ ...opened, closed: true });
  }, [opened, setOpened]);
  if (!loader) return null;
  return <code.Content key={slot} {...{ slot, parts: code.parts, loader, deployment, params, close }} open={!closed} />;
}
