import { Invalid } from '@spandrel/kernel';
import { MAX_CHARS_MAX } from '../arguments/max-chars.js';

/** The error of an answer of which not even the least fits. @param needed characters that it would take. */
export function tooSmall(needed: number): Invalid {
  const message =
    needed <= MAX_CHARS_MAX ? `must be at least ${needed} for this answer` : 'is too small for this answer';
  return new Invalid('validation_failed', `max_chars ${message}`, [{ path: 'max_chars', message }]);
}
