/** What a definition may hold where nobody said more: the types of a dataset that the server keeps are not known here. */
// oxlint-disable-next-line typescript/no-explicit-any -- `unknown` would refuse every task that takes a typed input
export type Unsaid = any;
