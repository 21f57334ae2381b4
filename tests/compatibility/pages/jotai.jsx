import { atom, useAtom, useAtomValue } from "jotai";

const count = atom(0);
const double = atom((get) => get(count) * 2);

export default function Page() {
  const [value, setValue] = useAtom(count);
  const doubled = useAtomValue(double);
  return (
    <>
      <button onClick={() => setValue(value + 1)}>{`Clicked ${value}`}</button>
      <output>{doubled}</output>
    </>
  );
}
