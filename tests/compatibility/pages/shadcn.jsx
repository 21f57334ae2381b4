import "./tailwind.css";

import { Slot } from "@radix-ui/react-slot";
import { cva } from "class-variance-authority";
import { clsx } from "clsx";
import { useState } from "react";
import { twMerge } from "tailwind-merge";

const cn = (...names) => twMerge(clsx(names));
const button = cva("inline-flex rounded-md px-4 py-2", {
  variants: { variant: { default: "bg-black text-white", outline: "border" } },
  defaultVariants: { variant: "default" },
});

function Button({ className, variant, asChild = false, ...props }) {
  const Component = asChild ? Slot : "button";
  return <Component className={cn(button({ variant }), className)} {...props} />;
}

export default function Page() {
  const [count, setCount] = useState(0);
  return (
    <Button className="px-8" onClick={() => setCount(count + 1)}>
      {`Clicked ${count}`}
    </Button>
  );
}
