import type { BrowserSessionResource, SignInError } from '@spandrel/contract';
import styles from './sign-in-page.module.css';

const REASONS: Readonly<Record<SignInError, string>> = {
  no_role: 'You have no role here yet: whoever administers the organization gives it, to you or to a group of yours.',
  expired: 'That took too long, or began in another browser. Sign in again.',
  denied: 'The identity provider did not let you in.',
  unavailable: 'The identity provider does not answer right now. Try again soon.',
  failed:
    'The identity provider gave no answer that could be checked. Sign in again; its administrator finds why in the log.',
  not_set_up: 'No identity provider is set up here.',
};

/** Why the identity provider signed nobody in, as the address tells; nothing where it does not. */
export function SignInFault() {
  const error = new URLSearchParams(location.search).get('error');
  if (error === null || !Object.hasOwn(REASONS, error)) return null;
  return (
    <p role="alert" className={styles.fault}>
      {REASONS[error as SignInError]}
    </p>
  );
}

/** The way to the identity provider, where one is set up. It is a page of its own: the server leads there. */
export function IdentityProviderLink({ session, next }: { session: BrowserSessionResource; next: string }) {
  if (!session.identity_provider) return null;
  return (
    <a className={styles.provider} href={`/api/session/oidc?next=${encodeURIComponent(next)}`}>
      {session.identity_provider.label}
    </a>
  );
}
