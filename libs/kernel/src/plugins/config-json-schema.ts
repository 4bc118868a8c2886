import { z } from 'zod';

/**
 * The JSON Schema of what a plugin takes as its config; what only code can say is left out of it.
 * @returns `null` for a schema that cannot be told so, such as one of another zod.
 */
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
