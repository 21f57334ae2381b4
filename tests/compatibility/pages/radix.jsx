import * as Dialog from "@radix-ui/react-dialog";
import * as Select from "@radix-ui/react-select";

const Choice = ({ label, names }) => (
  <Select.Root defaultValue={names[0]}>
    <Select.Trigger aria-label={label}>
      <Select.Value />
    </Select.Trigger>
    <Select.Portal>
      <Select.Content>
        <Select.Viewport>
          {names.map((name) => (
            <Select.Item key={name} value={name}>
              <Select.ItemText>{name}</Select.ItemText>
            </Select.Item>
          ))}
        </Select.Viewport>
      </Select.Content>
    </Select.Portal>
  </Select.Root>
);

export default () => (
  <>
    <Choice label="Fruit" names={["Apple", "Pear"]} />
    <Dialog.Root>
      <Dialog.Trigger>Open the dialog</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay />
        <Dialog.Content aria-describedby={undefined}>
          <Dialog.Title>Order</Dialog.Title>
          <Choice label="Size" names={["Small", "Large"]} />
          <Dialog.Close>Close</Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  </>
);
