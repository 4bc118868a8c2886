import { DefinitionError, nearest } from './definition-error.js';

/** @throws DefinitionError for a member that is not known, with the known name next to it. */
export function assertKnown(members: object, known: readonly string[], path: string): void {
  const unknown = Object.keys(members).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new DefinitionError(
    `${path ? `${path}.` : ''}${unknown} is not known${nearest(unknown, known)}; there are ${known.join(', ')}`,
  );
}

/** @returns a number within a range, both ends included; undefined when it is left out. @throws DefinitionError */
export function numberFrom(value: unknown, path: string, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new DefinitionError(`${path} must be a number ${range}`);
}

/** @returns a whole number within a range, both ends included; undefined when it is left out. @throws DefinitionError */
export function wholeNumberFrom(value: unknown, path: string, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value)) return numberFrom(value, path, least, most);
  const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new DefinitionError(`${path} must be a whole number ${range}`);
}

/** @returns a text that is not empty; undefined when it is left out. @throws DefinitionError */
export function textFrom(value: unknown, path: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new DefinitionError(`${path} must be a text that is not empty`);
}
