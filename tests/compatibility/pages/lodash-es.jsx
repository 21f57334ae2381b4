import { debounce, groupBy } from "lodash-es";
import { useMemo, useState } from "react";

const CITIES = [
  { name: "Bath", country: "England" },
  { name: "Cardiff", country: "Wales" },
];

export default function Page() {
  const [country, setCountry] = useState("England");
  const choose = useMemo(() => debounce(setCountry, 10), []);
  return (
    <>
      <button onClick={() => choose("Wales")}>Wales</button>
      <output>
        {groupBy(CITIES, "country")
          [country].map(({ name }) => name)
          .join()}
      </output>
    </>
  );
}
