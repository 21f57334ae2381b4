import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";

import "../../../packages/design/css/tokens.css";
import { MermaidDiagram } from "./MermaidDiagram.js";
import "./style.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("MermaidDiagram", MermaidDiagram);
  },
} satisfies Theme;
