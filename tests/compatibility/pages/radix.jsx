import * as Dialog from "@radix-ui/react-dialog";
import * as Select from "@radix-ui/react-select";

const FRUIT = ["Apple", "Pear"];

export default () => (
  <>
    <Select.Root defaultValue="Apple">
      <Select.Trigger aria-label="Fruit">
        <Select.Value />
      </Select.Trigger>
      <Select.Portal>
        <Select.Content>
          <Select.Viewport>
            {FRUIT.map((name) => (
              <Select.Item key={name} value={name}>
                <Select.ItemText>{name}</Select.ItemText>
              </Select.Item>
            ))}
          </Select.Viewport>
        </Select.Content>
      </Select.Portal>
    </Select.Root>
    <Dialog.Root>
      <Dialog.Trigger>Open the dialog</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay />
        <Dialog.Content aria-describedby={undefined}>
          <Dialog.Title>Order</Dialog.Title>
          <Dialog.Close>Close</Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  </>
);
