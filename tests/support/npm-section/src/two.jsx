import { usePortalContainer } from "@colonnade/kit";
import { createPortal } from "react-dom";

import { Box } from "./Box";
import { boxPage } from "./boxPage";

function Dialogs() {
  const container = usePortalContainer();
  return (
    <>
      <Box />
      {/* As dialogs of UI libraries do. */}
      {container && createPortal(<output className="dialog-text">In the section</output>, container)}
    </>
  );
}

export const page = boxPage("two", Dialogs);
