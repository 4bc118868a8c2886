import { randomInt } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** The library's own draw of a character costs more than all the rest of an id. */
const ulid = monotonicFactory(() => randomInt(32) / 32);

/** Makes an identifier: a ULID, greater than every one before it in this process (docs/spec/general.md#identifiers). */
export const newId = (): string => ulid();
