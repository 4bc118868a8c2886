/**
 * Whether two values of `parseExactJson` are the same JSON value, see {@link jsonDifference}. Anything that is not JSON, such
 * as `undefined`, is the same as nothing.
 */
export const sameJson = (one: unknown, other: unknown): boolean =>
  one !== undefined && jsonDifference(one, other) === undefined;

/**
 * Where two values of `parseExactJson` differ first: members in any order, numbers by what they are worth (`1`, `1.0` and
 * `1e0` are one number, however many digits it has), strings to the character.
 * @param tolerance by how much numbers may differ.
 * @returns `$.rows[2].name: "a" instead of "b"`; `undefined` where they are equal.
 */
export function jsonDifference(actual: unknown, expected: unknown, tolerance = 0, path = '$'): string | undefined {
  if (Array.isArray(actual) && Array.isArray(expected)) return listDifference(actual, expected, tolerance, path);
  if (isObject(actual) && isObject(expected)) return objectDifference(actual, expected, tolerance, path);
  const [one, other] = [numberSource(actual), numberSource(expected)];
  const isSame = one === undefined || other === undefined ? actual === expected : isNear(one, other, tolerance);
  return isSame ? undefined : `${path}: ${shown(actual)} instead of ${shown(expected)}`;
}

type JsonMembers = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

function listDifference(
  actual: readonly unknown[],
  expected: readonly unknown[],
  tolerance: number,
  path: string,
): string | undefined {
  for (let index = 0; index < Math.min(actual.length, expected.length); index++) {
    const difference = jsonDifference(actual[index], expected[index], tolerance, `${path}[${index}]`);
    if (difference !== undefined) return difference;
  }
  if (actual.length === expected.length) return undefined;
  return `${path}: ${actual.length} entries instead of ${expected.length}`;
}

function objectDifference(
  actual: JsonMembers,
  expected: JsonMembers,
  tolerance: number,
  path: string,
): string | undefined {
  for (const name of Object.keys(expected)) {
    const at = `${path}.${name}`;
    if (!Object.hasOwn(actual, name)) return `${at} is missing`;
    const difference = jsonDifference(actual[name], expected[name], tolerance, at);
    if (difference !== undefined) return difference;
  }
  const more = Object.keys(actual).find((name) => !Object.hasOwn(expected, name));
  return more === undefined ? undefined : `${path}.${more} is not expected`;
}

const SHOWN_CHARACTERS = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** The decimal of a JSON number: one that a double cannot hold is kept as its source text. */
function numberSource(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}

const WHOLE = /^-?\d{1,400}$/;
/** By how much a difference of doubles may be off, in parts of the larger one. */
const ROUNDING = 2 ** -51;

/** Whether two decimals differ by the tolerance at most; whole numbers are compared to the last digit. */
function isNear(one: string, other: string, tolerance: number): boolean {
  if (tolerance === 0 || one === other) return sameDecimal(one, other);
  if (WHOLE.test(one) && WHOLE.test(other)) return Math.abs(Number(BigInt(one) - BigInt(other))) <= tolerance;
  const [a, b] = [Number(one), Number(other)];
  return Math.abs(a - b) <= tolerance + ROUNDING * Math.max(Math.abs(a), Math.abs(b)) || sameDecimal(one, other);
}

/** Whether two decimals, as JSON or `String` write them, are the same number: `1.50` and `15e-1`, `-0` and `0`. */
export const sameDecimal = (one: string, other: string): boolean =>
  one === other || canonical(one) === canonical(other);

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Sign, digits without zeros at either end, and the exponent they are to be read with. */
function canonical(decimal: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = DECIMAL.exec(decimal)!;
  const digits = `${whole}${fraction}`;
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
