import { useState } from "react";
import { useForm } from "react-hook-form";

export default function Page() {
  const [sent, setSent] = useState("");
  const { register, handleSubmit, formState } = useForm({ defaultValues: { name: "" } });
  return (
    <form method="post" onSubmit={handleSubmit(({ name }) => setSent(name))}>
      <label>
        Name
        <input {...register("name", { minLength: { value: 2, message: "Too short" } })} />
      </label>
      <em>{formState.errors.name?.message}</em>
      <button>Send</button>
      <output>{sent}</output>
    </form>
  );
}
