/**
 * Whether two values of `parseExactJson` are the same JSON value: members in any order, numbers by what they are worth
 * (`1`, `1.0` and `1e0` are one number, however many digits it has), strings to the character. Anything that is not
 * JSON, such as `undefined`, is the same as nothing.
 */
export function sameJson(one: unknown, other: unknown): boolean {
  const sources = [numberSource(one), numberSource(other)] as const;
  if (sources[0] !== undefined && sources[1] !== undefined) return sameDecimal(sources[0], sources[1]);
  if (!isContainer(one) || !isContainer(other)) return one === other && one !== undefined;
  if (Array.isArray(one) || Array.isArray(other)) return sameList(one, other);
  return sameObject(one, other);
}

/** The decimal of a JSON number: one that a double cannot hold is kept as its source text. */
function numberSource(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}

type Container = Readonly<Record<string, unknown>>;

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !JSON.isRawJSON(value);

const sameList = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) &&
  Array.isArray(other) &&
  one.length === other.length &&
  one.every((item, index) => sameJson(item, other[index]));

function sameObject(one: Container, other: Container): boolean {
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
  );
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
