import { Alert, Button, Checkbox, FormControlLabel } from "@mui/material";
import { useState } from "react";

export default function Page() {
  const [accepted, setAccepted] = useState(false);
  const [sent, setSent] = useState(false);
  return (
    <>
      <FormControlLabel
        control={<Checkbox checked={accepted} onChange={(event) => setAccepted(event.target.checked)} />}
        label="Accept the terms"
      />
      <Button variant="contained" disabled={!accepted} onClick={() => setSent(true)}>
        Send
      </Button>
      {sent && <Alert severity="success">Sent</Alert>}
    </>
  );
}
