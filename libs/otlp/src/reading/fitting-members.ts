import { jsonWeight } from '@spandrel/contract';

/** How much a span may tell its trace of one kind, as `jsonWeight` counts: each span of the trace reads it. */
const WEIGHT_MAX = 65_536;

/** Members of a trace that one of its spans tells: the first ones that fit (docs/spec/otlp.md#large-spans). */
export function toldMembers(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
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
