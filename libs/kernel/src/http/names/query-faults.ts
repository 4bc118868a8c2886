import type { FieldError } from '@spandrel/contract';
import type { z } from 'zod';
import { schemaFaults } from '../../faults/schema-faults.js';

/** What is wrong with a query; of a parameter that may be given once, and came several times, that is said. */
export function queryFaults(error: z.ZodError, schema: z.ZodType, query: unknown): FieldError[] {
  const given = query as Readonly<Record<string, unknown>>;
  const repeated = new Set(
    error.issues
      .filter(({ code, path: [name] }) => ONE_VALUE.has(code) && Array.isArray(given[String(name)]))
      .map(({ path }) => path[0]),
  );
  return schemaFaults(error, schema).map(({ path, message }) => ({
    path,
    message: repeated.has(path) ? 'must be given only once' : message,
  }));
}

/** Faults that a list has where a single value is wanted. */
const ONE_VALUE: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value']);
