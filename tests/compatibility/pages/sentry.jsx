import * as Sentry from "@sentry/react";
import { useEffect, useState } from "react";

export default function Page() {
  const [sent, setSent] = useState("");
  useEffect(() => {
    Sentry.init({ dsn: `${location.protocol}//key@${location.host}/1`, tunnel: "/sentry" });
  }, []);
  const report = async () => {
    Sentry.captureException(new Error("A failure"));
    setSent((await Sentry.flush(5_000)) ? "Reported" : "Not reported");
  };
  return (
    <>
      <button onClick={report}>Report</button>
      <output>{sent}</output>
    </>
  );
}
