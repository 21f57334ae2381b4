import { defineSlot, Dialog } from "@colonnade/kit";

/** Content for the sign-up dialog. The section does not fill the slot until section.ts lists it. */
export const slot = defineSlot({
  Component: ({ open, close }) => (
    <Dialog open={open} close={close} heading="Join">
      <p>The form goes here.</p>
    </Dialog>
  ),
});
