import * as text from "../../../content/top-cities.md";
import { articlePage } from "../article";

/** The article `content/top-cities.md`. */
export const page = articlePage("top-cities", text);
