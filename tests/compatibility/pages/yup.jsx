import { useState } from "react";
import { object, string } from "yup";

const User = object({ name: string().min(2, "Too short") });
const validate = (value) => {
  try {
    User.validateSync(value);
    return "Valid";
  } catch (error) {
    return error.message;
  }
};

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
