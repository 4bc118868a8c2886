/** What an output or an expected value is as text: a text itself, the compact JSON of everything else; undefined of what is no JSON. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : (JSON.stringify(value) as string | undefined);

/** A JSON text that is the same for values that differ in the order of members alone. @throws TypeError for what is no JSON. */
export const canonicalJson = (value: unknown): string => {
  const text = JSON.stringify(value, (_, member: unknown) => (isObject(member) ? sorted(member) : member)) as
    | string
    | undefined;
  return text ?? 'null';
};

/** Members without those that are undefined. */
export const defined = <Members extends object>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>;
  };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members by name, without a prototype, so that `__proto__` is a member like any other. */
function sorted(members: Record<string, unknown>): Record<string, unknown> {
  const inOrder = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(members).toSorted()) inOrder[name] = members[name];
  return inOrder;
}

/** Where two JSON values differ first: `$.rows[2].name: "a" instead of "b"`; undefined where they are equal. */
export function firstDifference(actual: unknown, expected: unknown, path = '$'): string | undefined {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    for (let index = 0; index < Math.min(actual.length, expected.length); index++) {
      const difference = firstDifference(actual[index], expected[index], `${path}[${index}]`);
      if (difference !== undefined) return difference;
    }
    if (actual.length === expected.length) return undefined;
    return `${path}: ${actual.length} entries instead of ${expected.length}`;
  }
  if (isObject(actual) && isObject(expected)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const at = `${path}.${name}`;
      if (!Object.hasOwn(actual, name)) return `${at} is missing`;
      if (!Object.hasOwn(expected, name)) return `${at} is not expected`;
      const difference = firstDifference(actual[name], expected[name], at);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (actual === expected) return undefined;
  return `${path}: ${shown(actual)} instead of ${shown(expected)}`;
}

const SHOWN_CHARACTERS = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
