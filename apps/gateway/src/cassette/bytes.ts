import { hash as digest } from 'node:crypto';

export { isUtf8 } from 'node:buffer';

/** @returns the SHA-256 of a text or of bytes, in hex. */
export const hash = (data: string | Buffer): string => digest('sha256', data, 'hex');
