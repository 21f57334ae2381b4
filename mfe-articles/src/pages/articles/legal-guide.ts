import * as text from "../../../content/legal-guide.md";
import { figureOrQuotation } from "../../figures/Figure";
import { UnitedStates } from "../../figures/UnitedStates";
import { articlePage } from "../article";

/** The article `content/legal-guide.md`. */
export const page = articlePage("legal-guide", text, { blockquote: figureOrQuotation({ map: UnitedStates }) });
