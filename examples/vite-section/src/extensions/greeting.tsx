import { Link } from "@colonnade/kit";
import { defineExtension } from "@colonnade/kit/extensions";

/** A greeting on the page of a state, which is in another section. */
export const extension = defineExtension({
  order: 20,
  data: ({ props: { state } }: { props: { readonly state: string } }) => ({ state }),
  Component: ({ data: { state } }) => (
    <p>
      {`Say it to ${state} as in Wales: `}
      <Link to="/vite/Welsh">Shwmae</Link>
    </p>
  ),
});
