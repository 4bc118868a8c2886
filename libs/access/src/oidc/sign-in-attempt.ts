import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { z } from 'zod';
import { HttpCookie } from '../browser-sessions/session-cookie.js';

const LASTS_SECONDS = 600;

const TEXT = z.string().min(1).max(2_048);
const attemptSchema = z.strictObject({
  state: TEXT,
  nonce: TEXT,
  verifier: TEXT,
  next: TEXT,
  replaces: TEXT.nullable(),
});

/** One way to the identity provider and back: what makes an answer the one to this browser's question. */
export type SignInAttempt = z.output<typeof attemptSchema>;

/** A new attempt. @param next path to go to afterwards. @param replaces digest of the session until now; `null`: none. */
export const newAttempt = (next: string, replaces: string | null): SignInAttempt => ({
  ...{ state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() },
  ...{ next, replaces },
});

/** A path of this very server: what else is asked for leads to the first page. */
export function ownPath(next: string | undefined): string {
  if (next === undefined || next.length > 2_048 || !/^\/(?![/\\])/.test(next)) return '/';
  const base = 'http://own.invalid';
  const address = URL.canParse(next, base) ? new URL(next, base) : null;
  // Two slashes are left of `/.//host`, which a browser takes for the address of a host.
  if (address?.origin !== base || address.pathname.startsWith('//') || address.pathname === '/sign-in') return '/';
  return address.pathname + address.search + address.hash;
}

/** The cookie that binds an attempt to the browser that began it. It comes back from another site, so that it is `Lax`. */
export class AttemptCookie extends HttpCookie {
  constructor(insecure: boolean) {
    super(insecure ? 'spandrel-sign-in' : '__Host-spandrel-sign-in', 'Lax', insecure);
  }

  /** @returns `undefined` where the header has none that this server made. */
  read(header: string | undefined): SignInAttempt | undefined {
    try {
      const text = Buffer.from(this.valueIn(header) ?? '', 'base64url').toString('utf8');
      return attemptSchema.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  set(attempt: SignInAttempt): string {
    return this.write(Buffer.from(JSON.stringify(attempt)).toString('base64url'), LASTS_SECONDS);
  }
}
