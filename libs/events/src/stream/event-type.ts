/** Every event begins so, as {@link DomainEvents} has it. */
const BEFORE_TYPE = '{"type":"'.length;

/** The type of an event, from the beginning of its JSON text. */
export const typeOf = (line: string): string => line.slice(BEFORE_TYPE, line.indexOf('"', BEFORE_TYPE));
