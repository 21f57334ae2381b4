import { Dialog } from "@colonnade/design";
import { Link, type DialogProps } from "@colonnade/kit";
import type { ReactElement } from "react";

import { RECEIPT_HEADING, RECEIPT_PATH } from "../receipt/paths";
import { Receipt } from "../receipt/Receipt";
import css from "../receipt/receipt.module.css";

/** The receipt as a dialog. Its contents are read each time it opens. */
export default function ReceiptDialog({ open, close }: DialogProps): ReactElement {
  return (
    <Dialog open={open} close={close} heading={RECEIPT_HEADING}>
      <Receipt heading="h3" />
      <Link to={RECEIPT_PATH} className={css.more}>
        What each item is, and what can’t be shown here
      </Link>
    </Dialog>
  );
}
