import type { FieldError } from '@spandrel/contract';
import { z } from 'zod';
import { schemaFaults } from '../faults/invalid-request.js';

export type LaidConfig = { config: unknown } | { faults: FieldError[] };

/**
 * Lays what a use of a plugin gives over its config of yaml, member by member, and checks the result by its schema.
 * @returns faults with paths from the root of `overrides`; never throws, whatever the plugin's schema does.
 */
export function layConfig(
  schema: z.ZodType,
  defaults: Readonly<Record<string, unknown>>,
  overrides: Readonly<Record<string, unknown>> | null | undefined,
): LaidConfig {
  try {
    const checked = schema.safeParse({ ...defaults, ...overrides });
    return checked.success ? { config: checked.data } : { faults: schemaFaults(checked.error, schema) };
  } catch (error) {
    return { faults: [{ path: '', message: `cannot be checked: ${describe(error)}` }] };
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The JSON Schema of a plugin's config; `null` for one that cannot be described, such as one of another zod. */
export function configJsonSchema(schema: z.ZodType): Record<string, unknown> | null {
  try {
    const {
      $schema: _dialect,
      '~standard': _standard,
      ...described
    } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    }) as Record<string, unknown>;
    return described;
  } catch {
    return null;
  }
}
