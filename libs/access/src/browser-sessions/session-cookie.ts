import { randomBytes } from 'node:crypto';
import { INSECURE_SESSION_COOKIE, SESSION_COOKIE } from '@spandrel/contract';
import { DomainError } from '@spandrel/kernel';

const HOUR_MS = 3_600_000;

/** How long a session lasts without a request (docs/spec/sign-in.md#when-a-session-ends). */
export const UNUSED_MS_MAX = 12 * HOUR_MS;

/** How long a session lasts however much it is used. */
export const SESSION_MS_MAX = 7 * 24 * HOUR_MS;

const TOKEN = /^[\w-]{43}$/;

/** A new cookie's value: 256 random bits. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url');

/** A cookie that scripts of pages cannot read. */
export class HttpCookie {
  private readonly attributes: string;

  /** @param insecure whether browsers shall send it over plain http, too. */
  constructor(
    private readonly name: string,
    sameSite: 'Strict' | 'Lax',
    insecure: boolean,
  ) {
    this.attributes = `Path=/; HttpOnly; ${insecure ? '' : 'Secure; '}SameSite=${sameSite}`;
  }

  /** The value in the header `Cookie`; `undefined` where it has none. */
  valueIn(header = ''): string | undefined {
    for (const part of header.split(';')) {
      const [name, value = ''] = part.trim().split('=', 2);
      if (name === this.name) return value;
    }
    return undefined;
  }

  /** The header `Set-Cookie`. */
  write(value: string, seconds: number): string {
    return `${this.name}=${value}; Max-Age=${seconds}; ${this.attributes}`;
  }

  /** `Set-Cookie` that takes it away. */
  clear(): string {
    return this.write('', 0);
  }
}

/** The cookie that stands for a session (docs/spec/sign-in.md#the-cookie). */
export class SessionCookie extends HttpCookie {
  constructor(insecure: boolean) {
    super(insecure ? INSECURE_SESSION_COOKIE : SESSION_COOKIE, 'Strict', insecure);
  }

  /** @returns `undefined` where the header has no such cookie, or one that no server made. */
  read(header: string | undefined): string | undefined {
    const value = this.valueIn(header) ?? '';
    return TOKEN.test(value) ? value : undefined;
  }

  /** `Set-Cookie` for a session that ends in so many milliseconds at the latest. */
  set(token: string, lastsMs: number): string {
    return this.write(token, Math.max(0, Math.floor(lastsMs / 1_000)));
  }
}

interface PageHeaders {
  host?: string | undefined;
  origin?: string | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
}

/**
 * Whether a request comes from a page of this server (docs/spec/sign-in.md#pages-from-elsewhere); `undefined`: no browser.
 * @param origin `dashboard.origin`, where a proxy in between changes the Host.
 */
export function isOwnPage(headers: PageHeaders, origin: string | null): boolean | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return undefined;
  if (origin !== null && headers.origin === origin) return true;
  const authority = /^https?:\/\/([^/]+)$/i.exec(headers.origin)?.[1]?.toLowerCase();
  return headers.host !== undefined && authority === headers.host.toLowerCase();
}

/** The refusal of a request that a page from elsewhere would make with this browser's session. */
export const pageFromElsewhere = (): DomainError =>
  new DomainError(
    'host_not_allowed',
    "a browser's session changes things for the dashboard's own pages alone: send Authorization, or set dashboard.origin to the address that browsers show",
  );
