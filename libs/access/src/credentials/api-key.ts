import { hash, randomBytes } from 'node:crypto';
import { API_KEY_PREFIX, apiKeyOf } from '@spandrel/contract';

const SECRET_BYTES = 32;

/** Characters of a key that lists show. */
const SHOWN_LENGTH = API_KEY_PREFIX.length + 6;

/** A new API key with 32 random bytes. */
export const newApiKey = (): string => apiKeyOf(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`));

/** SHA-256 of a credential, hex: what is kept of it. */
export const digestOf = (credential: string): string => hash('sha256', credential, 'hex');

/** The beginning of a key, by which people distinguish keys. */
export const shownPrefixOf = (key: string): string => key.slice(0, SHOWN_LENGTH);
