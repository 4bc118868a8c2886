import { encodeTime } from 'ulid';

/** ULIDs reach so far, in milliseconds since the epoch. */
const TIME_MAX = 2 ** 48 - 1;
const TIME_DIGITS = 10;

/** The least id that can be made at a time: ids begin with the time at which they were made. */
export const firstIdOf = (ms: number): string =>
  encodeTime(Math.min(Math.max(0, Math.floor(ms)), TIME_MAX), TIME_DIGITS);
