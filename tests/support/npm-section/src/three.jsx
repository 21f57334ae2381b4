// Before the component's stylesheet, which wins.
import "./three.css";

import { Box } from "./Box";
import { boxPage } from "./boxPage";

export const page = boxPage("three", Box);
