export type AnswerRequest = (address: string) => Promise<Response>;

/** What answers a page whose traces are in the same file (src/file); `null` on pages of a server. */
export const EMBEDDED = (globalThis as { spandrelTraces?: AnswerRequest }).spandrelTraces ?? null;

/** The token of the link by which this tab reads a trace without signing in, `''` in a file; `null` on all other pages. */
export const SHARE_TOKEN = EMBEDDED ? '' : (globalThis.location?.pathname.match(/^\/s\/([^/]+)/)?.[1] ?? null);

/** Where a link reads what the page of a trace asks for (docs/spec/collaboration.md#shared-traces). */
export function addressByLink(address: string): string {
  const { origin, pathname } = new URL(address);
  const [, kind, id] = /^\/api\/(trace|span)s\/([^/]*)$/.exec(pathname) ?? [];
  if (SHARE_TOKEN === null || kind === undefined) return address;
  return `${origin}/api/shared/${SHARE_TOKEN}${kind === 'span' ? `/spans/${id}` : ''}`;
}
