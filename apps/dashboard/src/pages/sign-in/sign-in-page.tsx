import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError } from '../../api/api-error.js';
import { readBrowserSession, signIn } from '../../api/browser-session.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { TextField } from '../../components/field.js';
import { PageHeading } from '../../components/page-heading.js';
import { hearOtherTabs, tellOtherTabs } from '../../features/sign-in/other-tabs.js';
import { useBrowserSession } from '../../features/sign-in/use-browser-session.js';
import { IdentityProviderLink, SignInFault } from './identity-provider.js';
import { nextAddress } from './next-address.js';
import { Standing } from './standing.js';
import styles from './sign-in-page.module.css';

/** Where somebody shows a credential, once; the browser has a session from then on (docs/spec/sign-in.md). */
export function SignInPage() {
  const session = useBrowserSession();
  const next = nextAddress(location.search, location.origin);
  useOtherTabs(next);
  return (
    <div className={styles.page}>
      <header className="first-line">
        <img src="/icon.svg" alt="" width={20} height={20} />
        Spandrel
      </header>
      <main id="content" className={styles.main}>
        <PageHeading title="Sign in" />
        <SignInFault />
        {session && <Standing session={session} next={next} />}
        {session && <IdentityProviderLink session={session} next={next} />}
        {session?.identity_provider && <p className={styles.or}>or with a key</p>}
        {session?.mode !== 'local' && <SignInForm next={next} hasFocus={!session?.identity_provider} />}
      </main>
    </div>
  );
}

function SignInForm({ next, hasFocus }: { next: string; hasFocus: boolean }) {
  // The key is in the field alone, and in no state or attribute.
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      await signIn(field.current!.value);
      if (!(await readBrowserSession()).signed_in) throw new Error(NOT_KEPT);
      tellOtherTabs();
      location.replace(next);
    } catch (thrown) {
      setError(thrown as Error);
      setIsBusy(false);
      field.current?.select();
    }
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <TextField
        label="API key or token"
        type="password"
        autoComplete="current-password"
        ref={field}
        required
        hint="Yours begins with spn_sk_, or is a JWT. Whoever administers the organization makes keys."
      />
      {error && <Fault error={error} />}
      {!globalThis.isSecureContext && (
        <p className={styles.warning}>
          This address is plain http: everybody on the network between can read your key, and use the session.
        </p>
      )}
      <Button variant={hasFocus ? 'primary' : 'plain'} type="submit" disabled={isBusy}>
        Sign in
      </Button>
    </form>
  );
}

const NOT_KEPT =
  'Your browser did not keep the session. Browsers keep it from https alone, and from this machine; over plain http the server needs dashboard.insecure_cookie.';

function Fault({ error }: { error: Error }) {
  if (!(error instanceof ApiError) || error.status !== 401) {
    return <FaultNotice title="You could not be signed in" error={error} />;
  }
  return (
    <p role="alert" className={styles.fault}>
      This key is not valid or has ended.
    </p>
  );
}

/** Goes on once another tab signed in. */
function useOtherTabs(next: string): void {
  useEffect(
    () =>
      hearOtherTabs(() => {
        void readBrowserSession().then(
          ({ signed_in: isSignedIn }) => isSignedIn && location.replace(next),
          () => undefined,
        );
      }),
    [next],
  );
}
