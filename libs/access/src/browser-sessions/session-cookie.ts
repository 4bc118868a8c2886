import { randomBytes } from 'node:crypto';
import { INSECURE_SESSION_COOKIE, SESSION_COOKIE } from '@spandrel/contract';

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** A new cookie's value: 256 random bits. */
export const newSessionToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** The cookie that stands for a session (docs/spec/sign-in.md#the-cookie). */
export class SessionCookie {
  private readonly name: string;
  private readonly attributes: string;

  /** @param insecure whether browsers shall send it over plain http, too. */
  constructor(insecure: boolean) {
    this.name = insecure ? INSECURE_SESSION_COOKIE : SESSION_COOKIE;
    this.attributes = `Path=/; HttpOnly; ${insecure ? '' : 'Secure; '}SameSite=Strict`;
  }

  /** @returns `undefined` where the header has no such cookie, or one that no server made. */
  read(header: string | undefined): string | undefined {
    for (const part of (header ?? '').split(';')) {
      const [name, value = ''] = part.trim().split('=', 2);
      if (name === this.name) return TOKEN.test(value) ? value : undefined;
    }
    return undefined;
  }

  /** `Set-Cookie` for a session that ends in so many milliseconds at the latest. */
  set(token: string, lastsMs: number): string {
    return `${this.name}=${token}; Max-Age=${Math.max(0, Math.floor(lastsMs / 1_000))}; ${this.attributes}`;
  }

  /** `Set-Cookie` that takes it away. */
  clear(): string {
    return `${this.name}=; Max-Age=0; ${this.attributes}`;
  }
}
