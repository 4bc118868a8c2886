import type { z } from 'zod';
import { formatTimestamp } from './timestamp.js';

type ColumnName<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<ColumnName<Rest>>}` : Name;
type Timestamp<Value> = Value extends number ? string : Value;
type Shown<Name, Value> = Name extends 'at' | `${string}_at` ? Timestamp<Value> : Value;

/** Names of members whose column holds what the wire shows. */
type Held<Wire, Row> = {
  [Name in keyof Wire]: ColumnName<Name> extends keyof Row
    ? Shown<Name, Row[ColumnName<Name>]> extends Wire[Name]
      ? Name
      : never
    : never;
}[keyof Wire];

interface Member {
  name: string;
  column: string;
  isTime: boolean;
}

/** The members of each shape, found once. */
const known = new WeakMap<object, readonly Member[]>();

function membersOf(shape: object): readonly Member[] {
  const members = Object.keys(shape).map((name) => {
    const column = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return { name, column, isTime: /(?:^|_)at$/.test(name) };
  });
  known.set(shape, members);
  return members;
}

/**
 * A row as the wire shows it: members of a schema from the columns of their names, times as timestamps.
 * @param others members that no column holds as they are shown; they go before columns.
 */
export function fromColumns<Wire extends object, Row extends object>(
  { shape }: z.ZodType<Wire> & { shape: object },
  row: Row,
  others: Omit<Wire, Held<Wire, Row>> & Partial<Wire>,
): Wire {
  const columns = row as Record<string, unknown>;
  const given = others as Record<string, unknown>;
  const shown: Record<string, unknown> = {};
  for (const { name, column, isTime } of known.get(shape) ?? membersOf(shape)) {
    const value = name in given ? given[name] : columns[column];
    shown[name] = isTime && typeof value === 'number' ? formatTimestamp(value) : value;
  }
  return shown as Wire;
}
