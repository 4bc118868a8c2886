import type { BrowserSessionResource, SignInError } from '@spandrel/contract';
import { SpandrelError } from '@spandrel/sdk/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, type FormEvent } from 'react';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { FaultNotice, PageHeading } from '../../components/page-parts.js';
import { TextField } from '../../components/field.js';
import {
  BROWSER_SESSION,
  noteSignIn,
  notifyOtherTabs,
  onOtherTabs,
  useBrowserSession,
} from '../../features/browser-session.js';
import { baseOf } from '../../api/project-base.js';
import { nextAddress } from '../../api/go-to-sign-in.js';
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
  const signingIn = useMutation({
    mutationFn: async () => {
      await api.createBrowserSession({ body: { credential: field.current!.value } });
      if (!(await api.getBrowserSession()).signed_in) throw new Error(NOT_KEPT);
      notifyOtherTabs();
      location.replace(next);
    },
    onError: () => field.current?.select(),
  });
  // The other page is on its way.
  const isBusy = signingIn.isPending || signingIn.isSuccess;
  useLayoutEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy) signingIn.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label="API key or token"
        type="password"
        autoComplete="current-password"
        ref={field}
        required
        hint="A key that begins with spn_sk_, or a JWT. Administrators of the organization create keys."
      />
      {signingIn.error && <Fault error={signingIn.error} />}
      {!globalThis.isSecureContext && (
        <p className={styles.warning}>
          This address uses plain HTTP: anyone on the network can read your key and use your session.
        </p>
      )}
      <Button variant={hasFocus ? 'primary' : 'plain'} type="submit" disabled={isBusy}>
        Sign in
      </Button>
    </form>
  );
}

const NOT_KEPT =
  'Your browser did not store the session. It does so for HTTPS and for this machine only; for plain HTTP, set dashboard.insecure_cookie on the server.';

function Fault({ error }: { error: Error }) {
  if (!(error instanceof SpandrelError) || error.status !== 401) {
    return <FaultNotice title="You could not be signed in" error={error} />;
  }
  return (
    <p role="alert" className={styles.fault}>
      This key is invalid or has expired.
    </p>
  );
}

/** Goes on once another tab signed in. A tab of another project stays, and says where the browser is signed in now. */
function useOtherTabs(next: string): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const look = async (): Promise<BrowserSessionResource> => {
      const now = await api.getBrowserSession();
      queryClient.setQueryData(BROWSER_SESSION.queryKey, now);
      return now;
    };
    // Another tab may have signed in while this page was opening.
    look().catch(() => undefined);
    return onOtherTabs(() => {
      look().then(
        (now) => void (now.signed_in && !isOfAnotherProject(now, next) && location.replace(next)),
        () => undefined,
      );
    });
  }, [next, queryClient]);
}

/** Whether the session is one of a key or JWT, and the page to go on to is of another project. */
function isOfAnotherProject({ kind, project }: BrowserSessionResource, next: string): boolean {
  const base = baseOf(next);
  return base !== '' && kind !== 'person' && project !== null && base !== `/p/${encodeURIComponent(project.id)}`;
}

const REASONS: Readonly<Record<SignInError, string>> = {
  no_role:
    'You have no role here yet. Ask an administrator of the organization to assign one to you or to one of your groups.',
  expired: 'Signing in took too long or began in another browser. Sign in again.',
  denied: 'The identity provider denied access.',
  unavailable: 'The identity provider is not available. Try again in a few minutes.',
  failed: 'The response of the identity provider could not be verified. Sign in again. The server log has the reason.',
  not_set_up: 'No identity provider is set up here.',
};

function SignInFault() {
  const error = new URLSearchParams(location.search).get('error');
  if (error === null || !Object.hasOwn(REASONS, error)) return null;
  return (
    <p role="alert" className={styles.fault}>
      {REASONS[error as SignInError]}
    </p>
  );
}

function IdentityProviderLink({ session, next }: { session: BrowserSessionResource; next: string }) {
  if (!session.identity_provider) return null;
  return (
    <a className={styles.provider} href={`/api/session/oidc?next=${encodeURIComponent(next)}`} onClick={noteSignIn}>
      {session.identity_provider.label}
    </a>
  );
}

function Standing({ session, next }: { session: BrowserSessionResource; next: string }) {
  if (session.mode === 'local') {
    return (
      <p>
        Local mode has no sign-in. It only serves this machine. <a href={next}>Continue</a>
      </p>
    );
  }
  if (!session.signed_in || !session.project) return null;
  const where = (
    <>
      <bdi>{session.org?.name}</bdi> / <bdi>{session.project.name}</bdi>
    </>
  );
  if (!isOfAnotherProject(session, next)) {
    return (
      <p>
        This browser is signed in to {where}. <a href={next}>Continue</a>, or sign in with another key.
      </p>
    );
  }
  return (
    <div role="alert">
      <p>
        This browser is now signed in to {where}. A key opens its own project only, and this page is of another one.
      </p>
      <p>
        <a href="/traces">Open the traces of that project</a>, or sign in with a key of this one.
      </p>
    </div>
  );
}
