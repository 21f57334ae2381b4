import { QueryClient, QueryClientProvider, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

function Votes() {
  const client = useQueryClient();
  const { data, isPending } = useQuery({ queryKey: ["votes"], queryFn: () => Promise.resolve(3) });
  const vote = useMutation({
    mutationFn: () => Promise.resolve(data + 1),
    onSuccess: (votes) => client.setQueryData(["votes"], votes),
  });
  if (isPending) return <p>Counting the votes…</p>;
  return <button onClick={() => vote.mutate()}>{`${data} votes`}</button>;
}

export default function Page() {
  const [client] = useState(() => new QueryClient());
  return (
    <QueryClientProvider client={client}>
      <Votes />
    </QueryClientProvider>
  );
}
