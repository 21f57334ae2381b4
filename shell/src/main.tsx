import { createRoot, hydrateRoot } from "react-dom/client";

import { App } from "./App";
import { boot } from "./early";
import "./favicon.svg";
import "./frame/frame.css";
import "./frame/message.css";
import "./frame/print.css";
import { findRenderedHtml } from "./loading/html";
import { createSlotLoader } from "./loading/slot";
import { createTab } from "./loading/tab";
import { createViews } from "./loading/view";
import { createScrollMemory } from "./navigation/scroll";

const root = document.getElementById("root");
if (!root) throw new Error("the document has no root element");

// The answer to a form post stands at the address that was posted to; a reload shows the page itself.
if (boot.form) history.replaceState(history.state, "", boot.form.page);
const tab = createTab(boot);
const views = createViews(boot, location.pathname, tab);
// Before the router hears of it.
addEventListener("popstate", (event) => {
  if (views.awaits(location.pathname)) event.stopImmediatePropagation();
});
const { join } = boot.slots;
const app = (
  <App
    boot={boot}
    tab={tab}
    views={views}
    scroll={createScrollMemory()}
    html={boot.view ? findRenderedHtml(root) : null}
    join={join ? createSlotLoader("join", join, tab) : null}
  />
);
if (boot.view) hydrateRoot(root, app);
else createRoot(root).render(app);
