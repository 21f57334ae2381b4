import { Button, Input, Modal } from "antd";
import { useState } from "react";

export default function Page() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button type="primary" onClick={() => setOpen(true)}>
        Open the dialog
      </Button>
      <Modal title="Order" open={open} onCancel={() => setOpen(false)} onOk={() => setOpen(false)}>
        <Input placeholder="Name" />
      </Modal>
    </>
  );
}
