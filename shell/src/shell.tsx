import "@colonnade/design/design.css";
import { createShell } from "@colonnade/shell";

import { DialogFailed, DialogLoading } from "./frame/dialog";
import "./favicon.svg";
import { Frame } from "./frame/Frame";
import "./frame/frame.css";
import { Failed, Loading, Offline } from "./frame/messages";
import { NotFound } from "./frame/NotFound";
import "./frame/print.css";
import { search } from "./points";

/** The shell of the bundled site. */
export default createShell({
  Frame,
  Loading,
  NotFound,
  Failed,
  Offline,
  loadingLayout: { header: "plain" },
  dialog: { Loading: DialogLoading, Failed: DialogFailed },
  extensionPoints: [search],
});
