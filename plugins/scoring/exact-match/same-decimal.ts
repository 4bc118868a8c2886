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
