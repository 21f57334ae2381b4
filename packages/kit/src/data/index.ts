/**
 * Hooks and components for data of the visitor, and for changes: requests from the browser to the site's upstreams. A section
 * bundles what it uses of them.
 *
 * @module data
 */
export { useQuery, type QueryOptions, type QueryState } from "./useQuery.js";
export type { MutationBody } from "./sendMutation.js";
export { useMutation, type Mutation, type MutationOptions, type MutationState } from "./useMutation.js";
export { MutationForm, SubmitButton, type MutationFormProps, type SubmitButtonProps } from "./MutationForm.js";
