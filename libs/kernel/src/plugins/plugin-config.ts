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
    const reason = error instanceof Error ? error.message : String(error);
    return { faults: [{ path: '', message: `cannot be checked: ${reason}` }] };
  }
}

/** The JSON Schema of a plugin's config; `null` for one that cannot be described, such as one of another zod. */
export function configJsonSchema(schema: z.ZodType): Record<string, unknown> | null {
  try {
    const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>;
    const { $schema: _dialect, '~standard': _standard, ...described } = made;
    return described;
  } catch {
    return null;
  }
}
