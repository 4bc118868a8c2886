import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { z } from 'zod';

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

/**
 * A new attempt.
 * @param next path of this server that the browser goes to afterwards.
 * @param replaces digest of the session that the browser had until now; `null` where it had none.
 */
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

/**
 * The cookie that binds an attempt to the browser that began it. It comes back from another site, so that it is `Lax`; what it
 * holds is worth nothing to anybody without the provider's answer.
 */
export class AttemptCookie {
  private readonly name: string;
  private readonly attributes: string;

  /** @param insecure whether browsers shall send it over plain http, too. */
  constructor(insecure: boolean) {
    this.name = insecure ? 'spandrel-sign-in' : '__Host-spandrel-sign-in';
    this.attributes = `Path=/; HttpOnly; ${insecure ? '' : 'Secure; '}SameSite=Lax`;
  }

  /** @returns `undefined` where the header has none that this server made. */
  read(header: string | undefined): SignInAttempt | undefined {
    for (const part of (header ?? '').split(';')) {
      const [name, value = ''] = part.trim().split('=', 2);
      if (name === this.name) return attemptOf(value);
    }
    return undefined;
  }

  set(attempt: SignInAttempt): string {
    const value = Buffer.from(JSON.stringify(attempt)).toString('base64url');
    return `${this.name}=${value}; Max-Age=${LASTS_SECONDS}; ${this.attributes}`;
  }

  clear(): string {
    return `${this.name}=; Max-Age=0; ${this.attributes}`;
  }
}

function attemptOf(value: string): SignInAttempt | undefined {
  try {
    return attemptSchema.safeParse(JSON.parse(Buffer.from(value, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
