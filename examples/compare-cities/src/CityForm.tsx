import { useNavigate } from "@colonnade/kit";
import { useState, type ReactElement } from "react";

import { CITIES, comparisonPath } from "./cities";

/** A form that asks for two different cities and opens their comparison. */
export function CityForm(): ReactElement {
  const navigate = useNavigate();
  const [one, setOne] = useState("Amsterdam");
  const [other, setOther] = useState("Lisbon");
  const [error, setError] = useState("");
  return (
    <form
      className="prose"
      onSubmit={(event) => {
        event.preventDefault();
        if (one === other) setError("Choose two different cities.");
        else void navigate(comparisonPath(one, other));
      }}
    >
      <CitySelect label="One city" value={one} onChange={setOne} />
      <CitySelect label="Other city" value={other} onChange={setOther} />
      <p role="alert">{error}</p>
      <button type="submit" className="button">
        Compare
      </button>
    </form>
  );
}

interface CitySelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (city: string) => void;
}

function CitySelect({ label, value, onChange }: CitySelectProps): ReactElement {
  return (
    <label className="field">
      {label}
      <select
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      >
        {[...CITIES.keys()].map((city) => (
          <option key={city}>{city}</option>
        ))}
      </select>
    </label>
  );
}
