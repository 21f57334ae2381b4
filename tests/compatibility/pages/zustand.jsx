import { create } from "zustand";

const useCounter = create((set) => ({
  value: 0,
  increment: () => set(({ value }) => ({ value: value + 1 })),
}));

export default function Page() {
  const { value, increment } = useCounter();
  return <button onClick={increment}>{`Clicked ${value}`}</button>;
}
