import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";

import css from "./tanstack-virtual.module.css";

export default function Page() {
  const list = useRef(null);
  const rows = useVirtualizer({ count: 10_000, getScrollElement: () => list.current, estimateSize: () => 30 });
  return (
    <div ref={list} className={css.list} data-testid="list">
      <div style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => (
          <p key={key} style={{ position: "absolute", top: start }}>{`Row ${index}`}</p>
        ))}
      </div>
    </div>
  );
}
