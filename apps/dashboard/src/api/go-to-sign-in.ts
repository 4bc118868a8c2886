export const SIGN_IN = '/sign-in';

/**
 * Leads to the page to sign in, and from there back to where the tab is. The tab starts over, so that nothing which the
 * ended session was shown stays in it.
 */
export function goToSignIn(): void {
  const { pathname, search, hash } = location;
  if (pathname === SIGN_IN) return;
  location.replace(`${SIGN_IN}?next=${encodeURIComponent(pathname + search + hash)}`);
}

/** Where somebody wanted to go who was led to the page to sign in. @returns a path of this very server. */
export function nextAddress(search: string, origin: string): string {
  const next = new URLSearchParams(search).get('next') ?? '';
  const address = URL.canParse(next, origin) ? new URL(next, origin) : null;
  if (!next.startsWith('/') || address?.origin !== origin || address.pathname === '/sign-in') return '/traces';
  // Two slashes are left of `/.//host`, which a browser takes for the address of a host.
  if (address.pathname.startsWith('//')) return '/traces';
  return address.pathname + address.search + address.hash;
}
