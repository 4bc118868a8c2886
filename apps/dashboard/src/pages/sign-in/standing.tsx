import type { BrowserSessionResource } from '@spandrel/contract';

/** What the page to sign in says to somebody who need not sign in, or had to stop. */
export function Standing({ session, next }: { session: BrowserSessionResource; next: string }) {
  if (session.mode === 'local') {
    return (
      <p>
        Local mode has no logins: it answers this machine alone. <a href={next}>Go on</a>
      </p>
    );
  }
  if (!session.signed_in || !session.project) return null;
  const where = (
    <>
      <bdi>{session.org?.name}</bdi> / <bdi>{session.project.name}</bdi>
    </>
  );
  if (new URLSearchParams(location.search).get('why') !== 'stopped') {
    return (
      <p>
        This browser is signed in to {where}. <a href={next}>Go on</a>, or sign in with another key.
      </p>
    );
  }
  return (
    <div role="alert">
      <p>Another tab signed in to {where}, so this one stopped: a browser is signed in to one project at a time.</p>
      <p>
        <a href="/traces">Open the traces of that project</a>, or sign in here again.
      </p>
    </div>
  );
}
