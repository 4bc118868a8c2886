import type { FieldError } from '@spandrel/contract';
import { z } from 'zod';
import { schemaFaults } from '../faults/invalid-request.js';

export type LaidConfig = { config: unknown } | { faults: FieldError[] };

/**
 * Lays what a use of a plugin gives over its config of yaml, member by member, and checks the result by its schema.
 * @param findFaults what the plugin itself finds wrong with a config that its schema takes.
 * @returns faults with paths from the root of `overrides`; never throws, whatever the plugin does.
 */
export function layConfig(
  schema: z.ZodType,
  defaults: Readonly<Record<string, unknown>>,
  overrides: Readonly<Record<string, unknown>> | null | undefined,
  findFaults: (config: unknown) => readonly FieldError[] = () => [],
): LaidConfig {
  try {
    const checked = schema.safeParse({ ...defaults, ...overrides });
    if (!checked.success) return { faults: schemaFaults(checked.error, schema) };
    const faults = findFaults(checked.data);
    return faults.length === 0 ? { config: checked.data } : { faults: [...faults] };
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
