import { nearestName } from '@spandrel/kernel';
import { anyOf } from './imported-columns.js';
import { COLUMNS, EXPECTED_COLUMNS, isColumn } from './source-row.js';

const NAMES_SHOWN = 10;
const NAME_LENGTH_MAX = 40;

/** What the columns of a file, or the members of its objects, are called. */
export const EXPECTED_NAMES = `input (or messages), and optionally the expected value as ${anyOf(EXPECTED_COLUMNS)}, and metadata`;

/** Names that were found, each that is not known with the known one it is nearest to: `"inputs" (did you mean input?)`. */
export function describeNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => {
    const text = JSON.stringify(name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name);
    const plain = name.trim().toLowerCase();
    const nearest = isColumn(plain) ? undefined : nearestName(plain.slice(0, NAME_LENGTH_MAX), COLUMNS);
    return nearest === undefined ? text : `${text} (did you mean ${nearest}?)`;
  });
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** Signs that programs put between the cells of a row in a comma's place. */
const SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;

/** Why a header row has no column to import. @param names its cells. */
export function describeHeader(names: readonly string[]): string {
  const first = names[0] ?? '';
  const separator = names.some((name) => isColumn(name.trim().toLowerCase()))
    ? undefined
    : SEPARATORS.find(([sign]) => first.includes(sign));
  if (separator) {
    const [sign, word] = separator;
    const found = describeNames(first.split(sign).map((name) => name.trim()));
    return `the header row seems to be separated by ${word}: it has ${found}; save the file separated by commas, with the columns ${EXPECTED_NAMES}`;
  }
  return `the header row names neither a column input nor a column messages: it has ${describeNames(names)}; expected are ${EXPECTED_NAMES}`;
}
