import * as text from "../../../content/what-is-escort-babylon.md";
import { articlePage } from "../article";

/** The article `content/what-is-escort-babylon.md`. */
export const page = articlePage("what-is-escort-babylon", text);
