import { objectAt, type MemberPlace } from './object-members.js';

const ASKED = '{"include_usage":true}';

/**
 * The body of an OpenAI request for a stream, with `stream_options.include_usage` set; every other byte stays as it is
 * (docs/spec/gateway.md#asking-for-usage).
 * @returns `null` for a body that is to pass as it is: one that asks for no stream, has asked for usage itself, or cannot
 * be changed without guessing what its server would have read in it (no JSON, a member that comes twice).
 */
export function askForUsage(body: Buffer): Buffer | null {
  // One character a byte, so that places in the text are places in the body; names that count here are ASCII.
  const text = body.toString('latin1');
  if (!text.includes('"stream"') || !isJsonObject(text)) return null;
  const { members, close } = objectAt(text, text.indexOf('{'));
  const stream = only(members, 'stream');
  if (!stream || valueOf(text, stream) !== 'true') return null;
  if (!members.some(({ name }) => name === 'stream_options')) {
    return replaced(text, close, close, `,"stream_options":${ASKED}`);
  }
  const options = only(members, 'stream_options');
  return options ? changeOptions(text, options) : null;
}

function changeOptions(text: string, options: MemberPlace): Buffer | null {
  if (valueOf(text, options) === 'null') return replaced(text, options.start, options.end, ASKED);
  if (text[options.start] !== '{') return null;
  const { members, close } = objectAt(text, options.start);
  if (!members.some(({ name }) => name === 'include_usage')) {
    return replaced(text, close, close, `${members.length > 0 ? ',' : ''}"include_usage":true`);
  }
  const include = only(members, 'include_usage');
  const declined = include && (valueOf(text, include) === 'false' || valueOf(text, include) === 'null');
  return declined ? replaced(text, include.start, include.end, 'true') : null;
}

/** The member of that name; `undefined` where there is none, or more than one. */
function only(members: readonly MemberPlace[], wanted: string): MemberPlace | undefined {
  const named = members.filter(({ name }) => name === wanted);
  return named.length === 1 ? named[0] : undefined;
}

const valueOf = (text: string, { start, end }: MemberPlace): string => text.slice(start, end);

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
