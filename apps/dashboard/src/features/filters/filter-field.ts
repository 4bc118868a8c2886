import type { FacetName } from '@spandrel/contract';
import type { FilterChip } from './filter-chip.js';
import { readAmount, writeAmount, type AmountUnit } from './filter-amount.js';

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
  /** Whether it may be on several times, with another value each. */
  isRepeated?: boolean;
}

/** Values of such filters in the address. */
export type FieldSearch = Partial<Record<string, string | string[]>>;

/** Reads the filters of an address; what is no value of theirs is left out. */
export function readFields(fields: readonly FilterField[], search: Record<string, unknown>): FieldSearch {
  const found: FieldSearch = {};
  for (const field of fields) {
    const values = [search[field.id] ?? []].flat().filter((value) => isValue(field, value));
    if (field.isRepeated && values.length > 0) found[field.id] = [...new Set(values)];
    else if (values.length === 1) found[field.id] = values[0]!;
  }
  return found;
}

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
  return fields.flatMap((field) =>
    valuesOf(field, search).map((value) => ({
      name: field.label,
      value: field.unit === undefined ? value : writeAmount(value, field.unit),
      without: (before: Search) => withoutValue(before, field, value),
    })),
  );
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
