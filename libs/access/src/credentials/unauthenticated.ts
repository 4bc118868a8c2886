import { DomainError, WrongCredential } from '@spandrel/kernel';

/** The text is equal for every reason, so that somebody who tries keys learns nothing from it. */
export const notValid = (): DomainError =>
  new WrongCredential('the credential is not valid: no API key matches it, or the JWT cannot be verified');

export const expired = (): DomainError => new DomainError('unauthenticated', 'the credential has expired');

export const sessionEnded = (): DomainError => new WrongCredential('the session has ended: sign in again');
