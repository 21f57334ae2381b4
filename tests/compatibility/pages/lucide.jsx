import { Moon, Sun } from "lucide-react";
import { useState } from "react";

export default function Page() {
  const [isDark, setDark] = useState(false);
  const Icon = isDark ? Moon : Sun;
  return (
    <button aria-label="Theme" onClick={() => setDark(!isDark)}>
      <Icon size={32} />
    </button>
  );
}
