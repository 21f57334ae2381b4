import { tabKeys } from "@colonnade/design/tab";
import { useEffect, useState, type ReactElement } from "react";

/**
 * The cities whose ads were opened in this tab: only in the browser, and loaded only if there are any. At the end of the page, so
 * that nothing moves.
 */
export function TabCities(): ReactElement | undefined {
  const [list, setList] = useState<ReactElement>();
  useEffect(() => {
    if (tabKeys().some((key) => key.startsWith("ads:")))
      import("./CitiesInTab").then(
        ({ CitiesInTab }) => {
          setList(<CitiesInTab />);
        },
        () => undefined,
      );
  }, []);
  return list;
}
