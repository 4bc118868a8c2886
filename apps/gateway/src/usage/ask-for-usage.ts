import { endOfString, jsonMembers, type JsonMember } from '@spandrel/contract';

const ASKED = '{"include_usage":true}';

/**
 * The body of an OpenAI request for a stream, with `stream_options.include_usage` set; every other byte stays as it is
 * (docs/spec/gateway.md#asking-for-usage).
 * @returns `null` for a body that is to pass as it is: one that asks for no stream, has asked for usage itself, or cannot
 * be changed without guessing what its server would have read in it (no JSON, a member that comes twice), or has so many
 * values that looking into it would hold up others.
 */
export function askForUsage(body: Buffer): Buffer | null {
  // One character a byte, so that places in the text are places in the body; names that count here are ASCII.
  const text = body.toString('latin1');
  if (!text.includes('"stream"') || hasManyValues(text) || !isJsonObject(text)) return null;
  const open = text.indexOf('{');
  const members = [...jsonMembers(text, open)];
  const stream = only(members, 'stream');
  if (!stream || valueOf(text, stream) !== 'true') return null;
  if (!members.some(({ name }) => name === 'stream_options')) {
    const close = closeOf(text, open, members);
    return replaced(text, close, close, `,"stream_options":${ASKED}`);
  }
  const options = only(members, 'stream_options');
  return options ? changeOptions(text, options) : null;
}

function changeOptions(text: string, options: JsonMember): Buffer | null {
  if (valueOf(text, options) === 'null') return replaced(text, options.valueStart, options.end, ASKED);
  if (text[options.valueStart] !== '{') return null;
  const members = [...jsonMembers(text, options.valueStart)];
  if (!members.some(({ name }) => name === 'include_usage')) {
    const close = closeOf(text, options.valueStart, members);
    return replaced(text, close, close, `${members.length > 0 ? ',' : ''}"include_usage":true`);
  }
  const include = only(members, 'include_usage');
  const declined = include && (valueOf(text, include) === 'false' || valueOf(text, include) === 'null');
  return declined ? replaced(text, include.valueStart, include.end, 'true') : null;
}

/** The member of that name; `undefined` where there is none, or more than one. */
function only(members: readonly JsonMember[], wanted: string): JsonMember | undefined {
  const named = members.filter(({ name }) => name === wanted);
  return named.length === 1 ? named[0] : undefined;
}

const valueOf = (text: string, { valueStart, end }: JsonMember): string => text.slice(valueStart, end);

/** Where the closing brace of an object stands. */
const closeOf = (text: string, open: number, members: readonly JsonMember[]): number =>
  text.indexOf('}', members.at(-1)?.end ?? open);

const replaced = (text: string, start: number, end: number, by: string): Buffer =>
  Buffer.from(text.slice(0, start) + by + text.slice(end), 'latin1');

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Far more than any chat has; a text has as many with a comma or an opening bracket each. */
const VALUES_MAX = 20_000;

function hasManyValues(text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      if (at === -1) return false;
    } else if ((character === ',' || character === '[' || character === '{') && ++values > VALUES_MAX) {
      return true;
    }
  }
  return false;
}
