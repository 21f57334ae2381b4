import useSWR, { useSWRConfig } from "swr";

let votes = 3;

export default function Page() {
  const { data, isLoading } = useSWR("votes", () => Promise.resolve(votes));
  const { mutate } = useSWRConfig();
  const vote = () => {
    votes += 1;
    mutate("votes");
  };
  return <button onClick={vote}>{isLoading || data === undefined ? "Counting the votes…" : `${data} votes`}</button>;
}
