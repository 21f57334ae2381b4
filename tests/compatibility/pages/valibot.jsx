import { useState } from "react";
import * as v from "valibot";

const User = v.object({ name: v.pipe(v.string(), v.minLength(2, "Too short")) });
const validate = (value) => v.safeParse(User, value).issues?.[0].message ?? "Valid";

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
