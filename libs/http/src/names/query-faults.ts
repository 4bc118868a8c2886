import type { FieldError } from '@spandrel/contract';
import type { z } from 'zod';
import { schemaFaults } from '@spandrel/kernel';

/** What is wrong with a query; of a parameter that may be given once, and came several times, that is said. */
export function queryFaults(error: z.ZodError, schema: z.ZodType, query: unknown): FieldError[] {
  const given = query as Readonly<Record<string, unknown>>;
  const repeated = new Set(error.issues.filter(({ code }) => ONE_VALUE.has(code)).map(({ path }) => path.join('.')));
  return schemaFaults(error, schema).map(({ path, message }) => ({
    path,
    message: repeated.has(path) && Array.isArray(given[path]) ? 'must be given only once' : message,
  }));
}

/** Faults that a list has where a single value is wanted. */
const ONE_VALUE: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value']);
