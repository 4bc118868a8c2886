import type { FieldError } from '@spandrel/contract';
import { Invalid } from '../errors/domain-error.js';

/** Faults listed in one answer; a hostile body could make millions, so that makers of faults may stop beyond these. */
export const FAULTS_MAX = 100;

/** Longest name that is repeated in an answer, in UTF-16 units; names are what the caller sent. */
const NAME_LENGTH_MAX = 100;

/**
 * 400 `validation_failed` whose detail is the first fault in words: `name is required, and 2 more faults (see errors)`.
 * @param faults at least one, messages to be read after the path: `is required`.
 * @param whole what a fault without a path is about.
 */
export function invalidRequest(faults: readonly FieldError[], whole = 'the body'): Invalid {
  const shown = faults.slice(0, FAULTS_MAX).map(({ path, message }) => ({ path: clipped(path), message }));
  const [{ path, message }] = shown as [FieldError, ...FieldError[]];
  const others = faults.length - 1;
  const many = others >= FAULTS_MAX ? `more than ${FAULTS_MAX - 1}` : `${others} more`;
  const more = others === 0 ? '' : `, and ${many} ${others === 1 ? 'fault' : 'faults'} (see errors)`;
  return new Invalid('validation_failed', `${path === '' ? whole : quoted(path)} ${message}${more}`, shown);
}

const clipped = (path: string): string =>
  path.length > NAME_LENGTH_MAX ? `${path.slice(0, NAME_LENGTH_MAX).toWellFormed()}…` : path.toWellFormed();

/** Names of other characters than names are made of stand in quotes. */
const quoted = (path: string): string => (/^[\w.[\]-]+$/.test(path) ? path : JSON.stringify(path));
