import { DomainError } from '@spandrel/kernel';

/** Says nothing of the credential, nor why it is not valid: who guesses learns nothing. */
export const notValid = (): DomainError =>
  new DomainError(
    'unauthenticated',
    'the credential is not valid: no API key matches it, or the JWT cannot be verified',
  );

export const expired = (): DomainError => new DomainError('unauthenticated', 'the credential has expired');
