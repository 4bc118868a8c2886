/**
 * A JSON value that somebody else wrote: any member may be looked for with `?.`, and is `undefined` where it is not. What
 * a reader returns is taken when it is of the kind asked for and counts as not sent when it is not, so it needs no check.
 */
export interface JsonView {
  readonly [member: string]: JsonView | undefined;
}

/** A parsed body as the readers of a declaration get it: an object or a list; an empty object for any other value. */
export const viewOf = (body: unknown): JsonView =>
  typeof body === 'object' && body !== null ? (body as JsonView) : NOTHING;

const NOTHING: JsonView = Object.freeze({});
