import { dottedPath, type FieldError } from '@spandrel/contract';
import type { z } from 'zod';
import { FAULTS_MAX } from './invalid-request.js';
import { knownAt, knownMembers } from './known-members.js';
import { unknownName } from './unknown-name.js';

/**
 * What a schema found wrong, one entry a fault; a member that an object does not take is a fault of its own, with the
 * nearest name that it takes.
 */
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
