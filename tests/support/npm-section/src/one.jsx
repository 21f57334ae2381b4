import { Box } from "./Box";
import { boxPage } from "./boxPage";
import "./one.css";

export const page = boxPage("one", Box);
