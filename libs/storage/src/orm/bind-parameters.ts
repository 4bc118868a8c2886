import type { Dialect } from '../statements/sql.js';

/** A statement of the ORM as the database's driver takes it. */
export interface BoundStatement {
  text: string;
  params: (string | number | bigint | null)[];
}

/**
 * A statement of the ORM, which marks values by `?`, with its values as parameters.
 * @returns `undefined` when it has values that are none of a parameter's types, or names among them (`??`).
 */
export function bindParameters(text: string, values: readonly unknown[], dialect: Dialect): BoundStatement | undefined {
  if (!values.every(isParameter)) return undefined;
  let bound = 0;
  let hasNames = false;
  const written = text.replace(/\\\?|\?\??/g, (mark) => {
    if (mark === '\\?') return '?';
    hasNames ||= mark === '??';
    bound++;
    return dialect === 'sqlite' ? '?' : `$${bound}`;
  });
  return hasNames || bound !== values.length ? undefined : { text: written, params: [...values] };
}

const isParameter = (value: unknown): value is BoundStatement['params'][number] =>
  value === null || ['string', 'number', 'bigint'].includes(typeof value);
