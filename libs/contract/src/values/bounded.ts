import { z } from 'zod';
import { jsonWeight } from './json-text-in-pieces.js';
import { memberNames } from './large-values.js';
import { jsonObjectSchema } from './text.js';

/** A list of at most so many items, which in a longer one are not looked at: they could be half a million faults. */
export function boundedList<Item extends z.ZodType>(item: Item, max: number, min = 0): z.ZodArray<Item> {
  const list = min > 0 ? z.array(item).min(min).max(max) : z.array(item).max(max);
  const { run } = list._zod;
  list._zod.run = (payload, context) => {
    const { value } = payload;
    if (!Array.isArray(value) || value.length <= max) return run(payload, context);
    payload.issues.push({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value, inst: list });
    return payload;
  };
  return list;
}

/** Members that an object may have of which each is looked at by itself; far more than any such object takes. */
export const OWN_MEMBERS_MAX = 100;

/** An object of at most so many members, not looked at in a larger one. @param schema the very one used, not a copy. */
export function boundedMembers<Schema extends z.ZodObject | z.ZodRecord>(schema: Schema, max: number): Schema {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => {
    const { value: input } = payload;
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
    if (!isObject || memberNames(input).length <= max) return run(payload, context);
    payload.issues.push({ code: 'custom', message: `must have at most ${max} members`, input, inst: schema });
    return payload;
  };
  return schema;
}

/** A JSON object that is kept with others in a list: so many UTF-16 units of names and texts at most, and eight more for each value. */
export const smallObject = (max: number) =>
  jsonObjectSchema.refine((object) => jsonWeight(object, max) <= max, `must have at most ${max} characters of JSON`);
