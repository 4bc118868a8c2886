/** The token of the link by which this tab reads a trace without signing in; `null` on all other pages. */
export const SHARE_TOKEN = globalThis.location?.pathname.match(/^\/s\/([^/]+)/)?.[1] ?? null;

/** Where a link reads what the page of a trace asks for (docs/spec/collaboration.md#shared-traces). */
export function addressByLink(address: string): string {
  const { origin, pathname } = new URL(address);
  const [, kind, id] = /^\/api\/(trace|span)s\/([^/]*)$/.exec(pathname) ?? [];
  if (SHARE_TOKEN === null || kind === undefined) return address;
  return `${origin}/api/shared/${SHARE_TOKEN}${kind === 'span' ? `/spans/${id}` : ''}`;
}
