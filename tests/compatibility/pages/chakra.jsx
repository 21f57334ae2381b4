import { Button, ChakraProvider, Dialog, Portal, defaultSystem } from "@chakra-ui/react";

export default () => (
  <ChakraProvider value={defaultSystem}>
    <Dialog.Root>
      <Dialog.Trigger asChild>
        <Button colorPalette="teal">Open the dialog</Button>
      </Dialog.Trigger>
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner>
          <Dialog.Content>
            <Dialog.Title>Order</Dialog.Title>
            <Dialog.CloseTrigger asChild>
              <Button>Close</Button>
            </Dialog.CloseTrigger>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  </ChakraProvider>
);
