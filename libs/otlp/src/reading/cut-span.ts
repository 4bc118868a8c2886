/** What is left of a text that is cut. */
const TEXT_MAX = 65_536;

interface LargeMembers {
  input?: unknown;
  output?: unknown;
  metadata: Record<string, unknown>;
}

/**
 * Cuts the longest texts of a span that is larger than a span may be to 64 KiB each, and names them in
 * `metadata.otel.truncated` (docs/spec/otlp.md#large-spans).
 * @returns the members as given where they are small enough.
 */
export function cutSpan<Members extends LargeMembers>(members: Members, bytesMax: number): Members {
  let over = jsonBytes(members) - bytesMax;
  if (over <= 0) return members;
  const places: TextPlace[] = [];
  const copy = copied(
    { input: members.input, output: members.output, metadata: members.metadata },
    '',
    places,
  ) as LargeMembers;
  const truncated: string[] = [];
  for (const { text, bytes, path, set } of places.sort((a, b) => b.bytes - a.bytes)) {
    if (over <= 0 || bytes <= TEXT_MAX) break;
    const left = cutText(text);
    set(left);
    over -= bytes - Buffer.byteLength(left);
    truncated.push(path);
  }
  const otel = copy.metadata['otel'] as Record<string, unknown>;
  otel['truncated'] = truncated;
  return {
    ...members,
    ...(members.input !== undefined && { input: copy.input }),
    ...(members.output !== undefined && { output: copy.output }),
    metadata: copy.metadata,
  };
}

interface TextPlace {
  path: string;
  text: string;
  /** In UTF-8. */
  bytes: number;
  set: (text: string) => void;
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** At most 64 KiB of a text in UTF-8, without half a character at the end. */
export function cutText(text: string): string {
  if (text.length <= TEXT_MAX / 3) return text;
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, TEXT_MAX);
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** A copy, so that what dialects gave stays as it is, with every long text and its place. */
function copied(value: unknown, path: string, places: TextPlace[]): unknown {
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const [at, item] of value.entries()) copyInto(list, String(at), item, path, places);
    return list;
  }
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value) || value instanceof Map) return value;
  const object: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) copyInto(object, name, item, path, places);
  return object;
}

function copyInto(target: object, name: string, item: unknown, path: string, places: TextPlace[]): void {
  const own = path === '' ? name : `${path}.${name}`;
  const set = (value: unknown): void => {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  };
  if (typeof item === 'string' && item.length > TEXT_MAX / 3) {
    places.push({ path: own, text: item, bytes: Buffer.byteLength(item), set });
  }
  set(copied(item, own, places));
}
