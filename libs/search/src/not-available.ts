import { DomainError } from '@spandrel/kernel';

/** Search, or the way of searching that was asked for, is not set up. @param detail says what to configure. */
export const notAvailable = (detail: string): DomainError => new DomainError('search_not_available', detail);
