import { ErrorMessage, Field, Form, Formik } from "formik";
import { useState } from "react";

export default function Page() {
  const [sent, setSent] = useState("");
  return (
    <Formik
      initialValues={{ name: "" }}
      validate={({ name }) => (name.length < 2 ? { name: "Too short" } : {})}
      onSubmit={({ name }) => setSent(name)}
    >
      <Form method="post">
        <label>
          Name
          <Field name="name" />
        </label>
        <ErrorMessage name="name" component="em" />
        <button type="submit">Send</button>
        <output>{sent}</output>
      </Form>
    </Formik>
  );
}
