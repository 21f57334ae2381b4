import * as text from "../../../content/legal-guide.md";
import { UnitedStates } from "../../figures/UnitedStates";
import { articlePage } from "../article";

/** The article `content/legal-guide.md`. */
export const page = articlePage("legal-guide", text, { map: UnitedStates });
