import type { IncomingHttpHeaders } from 'node:http';
import type { DomainError } from '@spandrel/kernel';
import type { MediaDescription } from '../media-description.js';

/** How a credential may come, as the OpenAPI document names it. */
type CredentialWay = 'bearer' | 'basic' | 'key' | 'api_key_header';

/**
 * A protocol of others that some routes of the API speak. Their clients are not ours: they send credentials where they
 * always do, add parameters of their own to the path, end it with a slash, and read errors in their own form. A route
 * names its protocol in `@Operation`.
 */
export interface ThirdPartyProtocol {
  /** Finds the credential where clients of the protocol send it. @returns `undefined` when there is none. */
  credentialOf(headers: IncomingHttpHeaders): string | undefined;
  /** Every way that `credentialOf` looks at. */
  readonly credentialWays: readonly CredentialWay[];
  /**
   * Writes an error as clients of the protocol read it.
   * @param contentType of the request, as it came.
   */
  writeError(error: DomainError, contentType: string | undefined): { mediaType: string; body: Buffer };
  /** What {@link writeError} writes. */
  readonly errorAnswer: MediaDescription;
}
