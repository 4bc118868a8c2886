import { type FieldError, dottedPath } from '@spandrel/contract';
import type { z } from 'zod';
import { Invalid } from '../errors.js';
import { nearestName } from '../nearest-name.js';
import { knownAt, knownMembers } from './known-members.js';

/** Faults listed in one answer; a hostile body could make millions, so that makers of faults may stop beyond these. */
export const FAULTS_MAX = 100;

/** Longest name that is repeated in an answer, in UTF-16 units; names are what the caller sent. */
const NAME_LENGTH_MAX = 100;

/**
 * 400 `validation_failed` whose detail is the first fault: `name is required, and 2 more faults (see errors)`.
 * @param faults at least one, messages to be read after the path. @param whole what a fault without a path is about.
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

const quoted = (path: string): string => (/^[\w.[\]-]+$/.test(path) ? path : JSON.stringify(path));

/**
 * Words for a name that is not known: `is not a query parameter of this route; did you mean "model"?`, or all known
 * names.
 * @param fault what the name is not.
 */
export function unknownName(fault: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `${fault}; did you mean ${JSON.stringify(nearest)}?`;
  return `${fault}, which takes ${known.length === 0 ? 'none' : known.join(', ')}`;
}

/** What a schema found wrong; a member that an object does not take is a fault of its own, with the nearest name. */
export function schemaFaults(error: z.ZodError, schema: z.ZodType): FieldError[] {
  return error.issues.slice(0, FAULTS_MAX + 1).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return { path: dottedPath(issue.path), message: issue.message };
    const known = knownAt(knownMembers(schema), issue.path)?.members.keys() ?? [];
    const names = [...known];
    return issue.keys.slice(0, FAULTS_MAX + 1).map((name) => ({
      path: dottedPath([...issue.path, name]),
      message: unknownName('is not a member of this object', name, names),
    }));
  });
}
