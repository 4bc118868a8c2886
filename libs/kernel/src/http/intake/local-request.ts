/**
 * Tells why a request may not come from this machine's own programs, or may be a web page's; local mode refuses it with
 * 403 `host_not_allowed` (docs/spec/access.md#local-mode-is-for-this-machine-alone). A page cannot choose `Host` (so
 * DNS rebinding shows) and a browser always sends `Origin` with cross-origin posts.
 * @param headers `host` and `origin` as they came; an absent Origin is no browser.
 * @returns `undefined` for a request that is served.
 */
export function localRequestFault({
  host,
  origin,
}: {
  host: string | undefined;
  origin: string | undefined;
}): string | undefined {
  if (host !== undefined && !isLocalAuthority(host)) {
    return `${ONLY_THIS_MACHINE}, and the header Host names another one: ask for 127.0.0.1 or localhost; cloud mode serves others`;
  }
  if (origin === undefined) return undefined;
  const authority = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
  return authority !== undefined && isLocalAuthority(authority)
    ? undefined
    : `${ONLY_THIS_MACHINE}, and the header Origin names a web page from elsewhere: call from a program, or from a page of localhost; cloud mode serves others`;
}

const ONLY_THIS_MACHINE = 'local mode answers programs of this machine only';

const LOCAL_NAME = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** The last one that was local: nearly all requests name the same. */
let lastLocal: string | undefined;

function isLocalAuthority(authority: string): boolean {
  if (authority === lastLocal) return true;
  const host = /^(.*?)(?::\d{1,5})?$/.exec(authority)?.[1] ?? '';
  if (!LOCAL_NAME.test(host)) return false;
  lastLocal = authority;
  return true;
}
