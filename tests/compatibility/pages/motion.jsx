import { motion } from "motion/react";
import { useState } from "react";

export default function Page() {
  const [x, setX] = useState(0);
  return (
    <>
      <motion.p initial={{ opacity: 0 }} animate={{ opacity: 1, x }} transition={{ duration: 0.1 }}>
        A box
      </motion.p>
      <button onClick={() => setX(100)}>Move</button>
    </>
  );
}
