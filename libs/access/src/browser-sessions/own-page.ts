import { DomainError } from '@spandrel/kernel';

/** Headers by which a browser says which page makes a request. */
export interface PageHeaders {
  host?: string | undefined;
  origin?: string | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
}

/**
 * Whether a request comes from a page of this very server (docs/spec/sign-in.md#pages-from-elsewhere).
 * @param origin `dashboard.origin`, where a proxy in between changes the Host.
 * @returns `undefined` where no header says, as with programs that are no browsers.
 */
export function isOwnPage(headers: PageHeaders, origin: string | null): boolean | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return undefined;
  if (origin !== null && headers.origin === origin) return true;
  return headers.host !== undefined && authorityOf(headers.origin) === headers.host.toLowerCase();
}

const authorityOf = (origin: string): string | undefined => /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();

/** The refusal of a request that a page from elsewhere would make with this browser's session. */
export const pageFromElsewhere = (): DomainError =>
  new DomainError(
    'host_not_allowed',
    "a browser's session changes things for the dashboard's own pages alone: send Authorization, or set dashboard.origin to the address that browsers show",
  );
