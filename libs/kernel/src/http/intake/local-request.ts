/**
 * Whether a request may come from this machine's own programs and not from a web page; local mode refuses others with
 * 403 `host_not_allowed` (docs/spec/access.md#local-mode-is-for-this-machine-alone). A page cannot choose `Host` (so
 * DNS rebinding shows) and a browser always sends `Origin` with cross-origin posts.
 * @param headers `host` and `origin` as they came; an absent Origin is no browser.
 */
export function isLocalRequest(headers: { host: string | undefined; origin: string | undefined }): boolean {
  if (headers.host !== undefined && !isLocalAuthority(headers.host)) return false;
  if (headers.origin === undefined) return true;
  const authority = /^https?:\/\/([^/]+)$/i.exec(headers.origin)?.[1];
  return authority !== undefined && isLocalAuthority(authority);
}

const LOCAL_NAME = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

function isLocalAuthority(authority: string): boolean {
  const host = /^(.*?)(?::\d{1,5})?$/.exec(authority)?.[1] ?? '';
  return LOCAL_NAME.test(host);
}
