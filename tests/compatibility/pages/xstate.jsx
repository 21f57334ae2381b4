import { useMachine } from "@xstate/react";
import { createMachine } from "xstate";

const toggle = createMachine({
  id: "toggle",
  initial: "off",
  states: { off: { on: { TOGGLE: "on" } }, on: { on: { TOGGLE: "off" } } },
});

export default function Page() {
  const [state, send] = useMachine(toggle);
  return <button onClick={() => send({ type: "TOGGLE" })}>{`The light is ${state.value}`}</button>;
}
