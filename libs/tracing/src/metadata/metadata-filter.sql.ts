import { findMember } from '@spandrel/contract';
import { Invalid } from '@spandrel/kernel';
import { joinSql, mayContainJson, type Sql } from '@spandrel/storage';

/**
 * What metadata have for a key, in the form that filters compare.
 * @param metadata JSON text of an object.
 * @returns a string as it is, the JSON text of any other value; `undefined` where there is no such member.
 */
export function metadataValue(metadata: string | null, key: string): string | undefined {
  // Most have no such member, which a search for its name says sooner.
  if (metadata === null || !metadata.includes(JSON.stringify(key))) return undefined;
  const member = findMember(metadata, key);
  if (!member) return undefined;
  const text = metadata.slice(member.valueStart, member.end);
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** Whether metadata have all of some values. */
export const hasValues = (metadata: string | null, sought: Readonly<Record<string, string>>): boolean =>
  Object.entries(sought).every(([key, value]) => metadataValue(metadata, key) === value);

/** A condition on a column of metadata that all with these values meet, and some others. */
export const mayHaveValues = (column: string, sought: Readonly<Record<string, string>>): Sql =>
  joinSql(
    Object.entries(sought).flatMap(([key, value]) => [
      mayContainJson(column, key),
      // A string and JSON are written alike as far as nothing in them is escaped.
      ...(/["\\]/.test(value) ? [] : [mayContainJson(column, value)]),
    ]),
    ' and ',
  );

/** The refusal of a filter without an index on more than can be looked at. @param found what was seen: `no span has it`. */
export function tooMuchMetadata(sought: Readonly<Record<string, string>>, found: string): Invalid {
  const [key] = Object.keys(sought);
  const path = `metadata.${key}`;
  const message = `has no index, and ${found}: add a time range or another filter, or ask the operator to add the key to tracing.indexed_metadata`;
  return new Invalid('validation_failed', `${path} ${message}`, [{ path, message }]);
}
