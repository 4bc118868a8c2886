/** Characters of a name or id in an entry; a JWT's `sub` may be as long as a header. */
const TEXT_LENGTH_MAX = 512;
/** Characters of an entry's details. */
const DETAILS_LENGTH_MAX = 16_384;

/** A text as an entry has it: no longer than it may be, and one that both databases take. */
export function boundedText(text: string): string {
  const storable = text.replaceAll('\0', '\uFFFD').toWellFormed();
  return storable.length > TEXT_LENGTH_MAX ? `${storable.slice(0, TEXT_LENGTH_MAX - 1).toWellFormed()}…` : storable;
}

/** Details as JSON text; what is too long for an entry is named, with its length. */
export function boundedDetails(details: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(details);
  if (text.length <= DETAILS_LENGTH_MAX) return text;
  const members = Object.entries(details).map(([name, value]) => {
    const length = JSON.stringify(value)?.length ?? 0;
    return [boundedText(name), length > TEXT_LENGTH_MAX ? { left_out: length } : value];
  });
  const short = JSON.stringify(Object.fromEntries(members));
  return short.length <= DETAILS_LENGTH_MAX ? short : JSON.stringify({ left_out: text.length });
}
