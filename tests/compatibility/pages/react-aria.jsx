import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from "react-aria-components";

export default () => (
  <Select defaultValue="apple">
    <Label>Fruit</Label>
    <Button>
      <SelectValue />
    </Button>
    <Popover>
      <ListBox>
        <ListBoxItem id="apple">Apple</ListBoxItem>
        <ListBoxItem id="pear">Pear</ListBoxItem>
      </ListBox>
    </Popover>
  </Select>
);
