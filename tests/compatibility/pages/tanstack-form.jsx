import { useForm } from "@tanstack/react-form";
import { useState } from "react";

export default function Page() {
  const [sent, setSent] = useState("");
  const form = useForm({ defaultValues: { name: "" }, onSubmit: ({ value }) => setSent(value.name) });
  return (
    <form
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        form.handleSubmit();
      }}
    >
      <form.Field name="name" validators={{ onChange: ({ value }) => (value.length < 2 ? "Too short" : undefined) }}>
        {(field) => (
          <label>
            Name
            <input value={field.state.value} onChange={(event) => field.handleChange(event.target.value)} />
            <em>{field.state.meta.errors.join()}</em>
          </label>
        )}
      </form.Field>
      <button>Send</button>
      <output>{sent}</output>
    </form>
  );
}
