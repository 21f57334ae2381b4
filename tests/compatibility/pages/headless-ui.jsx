import {
  Dialog,
  DialogPanel,
  DialogTitle,
  Listbox,
  ListboxButton,
  ListboxOption,
  ListboxOptions,
} from "@headlessui/react";
import { useState } from "react";

export default function Page() {
  const [fruit, setFruit] = useState("Apple");
  const [open, setOpen] = useState(false);
  return (
    <>
      <Listbox value={fruit} onChange={setFruit}>
        <ListboxButton aria-label="Fruit">{fruit}</ListboxButton>
        <ListboxOptions anchor="bottom">
          <ListboxOption value="Apple">Apple</ListboxOption>
          <ListboxOption value="Pear">Pear</ListboxOption>
        </ListboxOptions>
      </Listbox>
      <button onClick={() => setOpen(true)}>Order</button>
      <Dialog open={open} onClose={setOpen}>
        <DialogPanel>
          <DialogTitle>Your order</DialogTitle>
          <button onClick={() => setOpen(false)}>Close</button>
        </DialogPanel>
      </Dialog>
    </>
  );
}
