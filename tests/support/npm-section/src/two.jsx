import { Box } from "./Box";
import { boxPage } from "./boxPage";

export const page = boxPage("two", Box);
