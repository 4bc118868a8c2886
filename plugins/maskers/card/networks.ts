/** How many digits of a number {@link networkHas} is given. */
export const BEGINNING = 4;

const isBetween = (number: number, first: number, last: number): boolean => number >= first && number <= last;

/**
 * Whether a network has numbers of so many digits that begin so.
 * @param begins the first four digits.
 */
export function networkHas(begins: number, digits: number): boolean {
  switch (Math.floor(begins / 1_000)) {
    case 2:
      return digits === 16 && isBetween(begins, 2221, 2720);
    case 3:
      return beginsWithThree(begins, digits);
    case 4:
      return digits === 13 || digits === 16 || digits === 19;
    case 5:
      if (isBetween(begins, 5100, 5599)) return digits === 16;
      if (MAESTRO.has(begins)) return hasMaestro(digits);
      return digits === 16 && isBetween(begins, 5080, 5089);
    case 6:
      return beginsWithSix(begins, digits);
    case 8:
      return digits === 16 && isBetween(begins, 8100, 8299);
    default:
      return false;
  }
}

/** American Express, Diners and JCB. */
function beginsWithThree(begins: number, digits: number): boolean {
  const two = Math.floor(begins / 100);
  if (two === 34 || two === 37) return digits === 15;
  if (isBetween(begins, 3528, 3589)) return isBetween(digits, 16, 19);
  return (isBetween(begins, 3000, 3059) || two === 36 || two === 38 || two === 39) && (digits === 14 || digits === 16);
}

/** Discover, RuPay, UnionPay and Maestro. */
function beginsWithSix(begins: number, digits: number): boolean {
  const two = Math.floor(begins / 100);
  if (MAESTRO.has(begins)) return hasMaestro(digits);
  if (two === 62) return isBetween(digits, 16, 19);
  if (two === 65 || isBetween(begins, 6440, 6499)) return digits === 16 || digits === 19;
  if (begins === 6011 && digits === 19) return true;
  return two === 60 && digits === 16;
}

const MAESTRO: ReadonlySet<number> = new Set([5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763]);
const hasMaestro = (digits: number): boolean => digits === 16 || digits === 18 || digits === 19;
