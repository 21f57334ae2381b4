import { useState } from "react";
import styled from "styled-components";

const Box = styled.p`
  color: ${({ $on }) => ($on ? "rgb(1, 2, 3)" : "rgb(4, 5, 6)")};
`;

export default function Page() {
  const [on, setOn] = useState(false);
  return (
    <>
      <Box $on={on}>A box</Box>
      <button onClick={() => setOn(true)}>Paint</button>
    </>
  );
}
