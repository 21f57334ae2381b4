import { useState } from "react";
import { z } from "zod";

z.config({ jitless: true });
const User = z.object({ name: z.string().min(2, "Too short") });
const validate = (value) => User.safeParse(value).error?.issues[0].message ?? "Valid";

export default function Page() {
  const [name, setName] = useState("A");
  return (
    <label>
      Name
      <input value={name} onChange={(event) => setName(event.target.value)} />
      <output>{validate({ name })}</output>
    </label>
  );
}
