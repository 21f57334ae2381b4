import "@colonnade/design/design.css";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/tables.css";
import "./styles/rollouts.css";
import "./styles/forms.css";
import "./styles/charts.css";
import "./styles/parts.css";
import "./favicon.svg";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./App.js";

const root = document.getElementById("root");
if (!root) throw new Error("the document has no root element");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
