import "@colonnade/design/design.css";
import "./console.css";
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
