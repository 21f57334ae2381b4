import { useState } from "react";
import { FaMoon, FaSun } from "react-icons/fa6";

export default function Page() {
  const [isDark, setDark] = useState(false);
  const Icon = isDark ? FaMoon : FaSun;
  return (
    <button aria-label="Theme" onClick={() => setDark(!isDark)}>
      <Icon size={32} data-testid={isDark ? "moon" : "sun"} />
    </button>
  );
}
