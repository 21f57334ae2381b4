import "@mantine/core/styles.css";

import { Button, MantineProvider, Modal, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

export default function Page() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <MantineProvider>
      <Modal opened={opened} onClose={close} title="Order">
        <TextInput label="Name" />
      </Modal>
      <Button onClick={open}>Open the dialog</Button>
    </MantineProvider>
  );
}
