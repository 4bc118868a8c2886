import { jsonWeight } from '@spandrel/contract';

/** How much a trace may get of one kind from a span, as `jsonWeight` counts: each span of the trace reads it. */
const WEIGHT_MAX = 65_536;

/** The members that a trace gets from one of its spans: the first ones that fit (docs/spec/otlp.md#large-spans). */
export function fittingMembers(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (jsonWeight(members, WEIGHT_MAX) <= WEIGHT_MAX) return members;
  let left = WEIGHT_MAX;
  const kept = Object.entries(members).filter(([name, value]) => {
    const weight = name.length + jsonWeight(value, left);
    if (weight > left) return false;
    left -= weight;
    return true;
  });
  return Object.fromEntries(kept);
}
