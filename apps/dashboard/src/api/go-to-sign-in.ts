export const SIGN_IN = '/sign-in';

/**
 * Leads to the page to sign in, and from there back to where the tab is. The tab begins anew, so that nothing which the
 * ended session was shown stays in it.
 * @param why what the page says beside its form.
 */
export function goToSignIn(why?: 'stopped'): void {
  const { pathname, search, hash } = location;
  if (pathname === SIGN_IN) return;
  const next = encodeURIComponent(pathname + search + hash);
  location.replace(`${SIGN_IN}?next=${next}${why === undefined ? '' : `&why=${why}`}`);
}
