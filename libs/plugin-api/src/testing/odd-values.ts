/** Values of unexpected types, put where others are expected. */
export const ODD_VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  '',
  ' ',
  'text',
  '\u0000',
  '\ud800',
  '🙂',
  [],
  [null],
  [[]],
  {},
  [{}],
  ['a', 1, null],
  { type: 1 },
  { ['__proto__']: { a: 1 } },
  { constructor: null, toString: 'x' },
  { error: true },
  { error: [] },
  { error: { message: 7 } },
];

const ODD_MEMBERS: readonly unknown[] = [undefined, null, -1, 1e300, 'x', [], [null], {}, [[{}]]];

/** Every value that differs at one place, where something odd stands instead; one at a time, to save memory. */
export function* mutationsOf(value: unknown, depthMax = 6): Generator<unknown> {
  if (typeof value !== 'object' || value === null || depthMax === 0) return;
  for (const key of Object.keys(value)) {
    const replaced = (member: unknown): unknown => {
      const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [...value] : { ...value };
      (copy as Record<string, unknown>)[key] = member;
      return copy;
    };
    for (const odd of ODD_MEMBERS) yield replaced(odd);
    const member = (value as Record<string, unknown>)[key];
    for (const mutation of mutationsOf(member, depthMax - 1)) yield replaced(mutation);
  }
}
