import type { IncomingMessage } from 'node:http';
import { WrongCredential, type DomainError, type ClientAddresses } from '@spandrel/kernel';
import type { WrongCredentials } from './wrong-credentials.js';

/** How requests are refused whose credential is not valid (docs/spec/limits.md#wrong-credentials). */
export class CredentialRefusals {
  constructor(
    private readonly addresses: ClientAddresses,
    private readonly wrong: WrongCredentials,
  ) {}

  /**
   * Counts a wrong credential.
   * @returns what to answer: the error itself, or that there were too many from this address.
   */
  of(error: DomainError, request: Pick<IncomingMessage, 'socket' | 'headers'>): DomainError {
    if (!(error instanceof WrongCredential)) return error;
    return this.wrong.note(this.addresses.of(request)) ?? error;
  }
}
