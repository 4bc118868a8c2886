import type { FacetName } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { formatCost, formatDuration } from '../../components/format.js';

/** A filter that is on, with the name and value that its button says. */
export interface FilterChip<Search> {
  name: string;
  value: string;
  /** The search parameters without this filter. */
  without(search: Search): Search;
}

/** A filter that the menu `Add filter` offers, kept in the address by the API's own name. */
export interface FilterField {
  /** Search parameter: `duration_min`. */
  id: string;
  /** `Minimum duration` */
  label: string;
  /** Where its values are suggested from. */
  facet?: FacetName;
  /** The value is a number of these. */
  unit?: AmountUnit;
  /** Whether it is about a score: its value is a condition, such as `helpful<0.5`. */
  isScore?: boolean;
  /** Whether it may be on several times, with another value each. */
  isRepeated?: boolean;
  /** Whether it is asked for with a key, once for each: its search parameters are `<id>.KEY`. */
  isKeyed?: boolean;
  /** What people call its values, by the API's own words. */
  words?: ReadonlyMap<string, string>;
}

type FieldSearch = Partial<Record<string, string | string[]>>;

/** Reads the filters of an address; what is no value of theirs is left out. */
export function readFields(fields: readonly FilterField[], search: Record<string, unknown>): FieldSearch {
  const found: FieldSearch = {};
  for (const field of fieldsIn(fields, search)) {
    const values = [search[field.id] ?? []].flat().filter((value) => isValue(field, value));
    if (field.isRepeated && values.length > 0) found[field.id] = [...new Set(values)];
    else if (values.length === 1) found[field.id] = values[0]!;
  }
  return found;
}

/** The fields that search parameters can have; of one that is asked for with a key those of the keys that are there. */
const fieldsIn = (fields: readonly FilterField[], search: object): FilterField[] =>
  fields.flatMap((field) =>
    field.isKeyed ? Object.keys(search).flatMap((id) => (isKeyOf(field, id) ? [{ ...field, id }] : [])) : [field],
  );

const isKeyOf = ({ id: field }: FilterField, id: string): boolean =>
  id.startsWith(`${field}.`) && id.length > field.length + 1;

/** The search parameters with one more filter, in the place of the one before where it may be on once. */
export function withField<Search extends object>(search: Search, field: FilterField, value: string): Search {
  const before = valuesOf(field, search);
  return { ...search, [field.id]: field.isRepeated ? [...new Set([...before, value])] : value };
}

/** The search parameters without these filters. */
export function withoutFields<Search extends object>(search: Search, fields: readonly FilterField[]): Search {
  const gone = new Set(fields.map(({ id }) => id));
  return Object.fromEntries(Object.entries(search).filter(([id]) => !gone.has(id))) as Search;
}

/** The filters that are on, one by one, in the order in which they are offered. */
export function fieldChips<Search extends object>(
  fields: readonly FilterField[],
  search: Search,
): FilterChip<Search>[] {
  return fieldsIn(fields, search).flatMap((field) =>
    valuesOf(field, search).map((value) => ({
      name: field.label,
      value: writeValue(field, value),
      without: (before: Search) => withoutValue(before, field, value),
    })),
  );
}

/** A value in words: `$0.05`, `LLM call`, `environment=production`. */
function writeValue({ id, unit, words, isKeyed }: FilterField, value: string): string {
  if (isKeyed) return `${id.slice(id.indexOf('.') + 1)}=${value}`;
  return unit === undefined ? (words?.get(value) ?? value) : writeAmount(value, unit);
}

function withoutValue<Search extends object>(search: Search, field: FilterField, gone: string): Search {
  const others = valuesOf(field, search).filter((value) => value !== gone);
  return others.length === 0 ? withoutFields(search, [field]) : { ...search, [field.id]: others };
}

function valuesOf({ id }: FilterField, search: object): string[] {
  return [(search as FieldSearch)[id] ?? []].flat();
}

function isValue({ unit }: FilterField, value: unknown): value is string {
  return typeof value === 'string' && (unit === undefined || readAmount(value, unit) === value);
}

/** What a number of a filter counts: milliseconds, dollars, or things. */
type AmountUnit = 'duration' | 'cost' | 'count';

const SECOND = 1_000;
/** Milliseconds of what may stand behind a duration. */
const LENGTHS: Readonly<Record<string, number>> = {
  ...{ '': 1, ms: 1, s: SECOND, min: 60 * SECOND, m: 60 * SECOND, h: 3_600 * SECOND },
};

export const AMOUNT_HINTS: Readonly<Record<AmountUnit, string>> = {
  duration: 'Milliseconds, or with a unit: 1.5 s, 2 min.',
  cost: 'Dollars: 0.05.',
  count: 'A whole number: 2000.',
};

/**
 * Reads a number as people write it: `1.5 s`, `$0.05`, `2,000`.
 * @returns the number as the API takes it, in milliseconds, dollars or whole things; `null` where it is none.
 */
export function readAmount(text: string, unit: AmountUnit): string | null {
  const plain = text.trim().replaceAll(',', '');
  const [, sign, number, word] = /^(\$?)(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)$/i.exec(plain) ?? [];
  if (number === undefined || word === undefined || (sign !== '' && unit !== 'cost')) return null;
  const factor = unit === 'duration' ? LENGTHS[word.toLowerCase()] : word === '' ? 1 : undefined;
  if (factor === undefined || (unit === 'count' && number.includes('.'))) return null;
  // Fifteen digits leave out what a product of doubles adds behind them.
  return String(Number((Number(number) * factor).toPrecision(15)));
}

/** A number of the address in words: `1.50 s`, `$0.05`, `2,000`. */
export function writeAmount(text: string, unit: AmountUnit): string {
  const write = { duration: formatDuration, cost: formatCost, count: formatCount }[unit];
  return write(Number(text));
}
