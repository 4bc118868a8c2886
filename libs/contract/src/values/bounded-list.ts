import { z } from 'zod';

/**
 * A list of at most so many items. Unlike `z.array(item).max(max)` it does not look at the items of a longer one: what is
 * wrong with half a million of them is half a million faults.
 */
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
