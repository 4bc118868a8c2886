import type { z } from 'zod';

/** Members that an object may have of which each is looked at by itself; far more than any such object takes. */
export const OWN_MEMBERS_MAX = 100;

/**
 * An object of at most so many members. It does not look at the members of a larger one: what is wrong with a hundred
 * thousand of them is a hundred thousand faults.
 * @param schema the very schema that is used: what is made of it, as by `meta`, has no bound.
 */
export function boundedMembers<Schema extends z.ZodObject | z.ZodRecord>(schema: Schema, max: number): Schema {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => {
    const { value: input } = payload;
    if (typeof input !== 'object' || input === null || !hasMore(input, max)) return run(payload, context);
    payload.issues.push({ code: 'custom', message: `must have at most ${max} members`, input, inst: schema });
    return payload;
  };
  return schema;
}

function hasMore(object: object, max: number): boolean {
  let members = 0;
  for (const _name in object) if (++members > max) return true;
  return false;
}
