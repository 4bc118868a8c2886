import { endOfString, jsonMembers, type JsonMember } from '@spandrel/contract';
import { atOnce } from '@spandrel/kernel';
import { clip } from './capture.js';

/** Largest JSON of a span that is sent; the API's own limit for a body is 10 MiB by default. */
export const SPAN_CHARS_MAX = 6 * 1024 * 1024;

/** How long the texts of a span may be, in code points, tried in turn until the whole fits. */
const TEXT_LENGTHS = [1_048_576, 262_144, 65_536, 16_384, 4_096, 1_024, 128];
const SHORTEST = TEXT_LENGTHS.at(-1)!;

/** The members of a span that hold what was said. */
const CONTENT: ReadonlySet<string> = new Set(['input', 'output', 'metadata']);

const MARK = '"truncated":true';
const COLON = ':'.charCodeAt(0);

/** Texts that are passed by at once: less than a millisecond. */
const SHORT_TEXTS_AT_ONCE = 4_096;

/** A text in JSON that is longer than the shortest that texts are cut to. */
interface LongText {
  start: number;
  end: number;
  text: string;
}

/**
 * The JSON of a span, cut down until it has at most so many characters: its texts first, then input and output whole.
 * `metadata.truncated` says so. Works on the text of the JSON, so that it costs no more for many small values than for few.
 * @param json written by `JSON.stringify`.
 */
export const fitSpan = (json: string, charsMax: number): string => atOnce(fitSpanInPieces(json, charsMax));

/** Does what {@link fitSpan} does, piece by piece, so that others can have their turn at each `yield`. */
export function* fitSpanInPieces(json: string, charsMax: number): Generator<void, string, void> {
  if (json.length <= charsMax) return json;
  const members = [...jsonMembers(json)];
  yield;
  const texts = yield* longTexts(json, members);
  for (const codePoints of TEXT_LENGTHS) {
    let { length } = json;
    for (const text of texts) {
      length += cutText(json, text, codePoints).length - (text.end - text.start);
      yield;
    }
    if (length + MARK.length < charsMax) return yield* cutTexts(json, members, texts, codePoints);
  }
  return withoutContent(json, members);
}

/** The JSON of a span without input, output and parameters, which hold what may be too deep, too much or not storable. */
export function withoutContent(json: string, members: readonly JsonMember[] = [...jsonMembers(json)]): string {
  const kept = members.flatMap((member) => {
    if (member.name === 'metadata') return `"metadata":${markedMetadata(json, member)}`;
    return CONTENT.has(member.name) ? [] : json.slice(member.start, member.end);
  });
  return `{${kept.join(',')}}`;
}

function markedMetadata(json: string, { valueStart }: JsonMember): string {
  const kept = [...jsonMembers(json, valueStart)].filter(({ name }) => name !== 'request' && name !== 'truncated');
  return `{${[...kept.map(({ start, end }) => json.slice(start, end)), MARK].join(',')}}`;
}

function* longTexts(json: string, members: readonly JsonMember[]): Generator<void, LongText[], void> {
  const texts: LongText[] = [];
  let short = 0;
  for (const { name, valueStart, end: valueEnd } of members) {
    if (!CONTENT.has(name)) continue;
    for (let start = json.indexOf('"', valueStart); start !== -1 && start < valueEnd;) {
      const end = endOfString(json, start) + 1;
      if (end - start - 2 > SHORTEST && json.charCodeAt(end) !== COLON) {
        texts.push({ start, end, text: JSON.parse(json.slice(start, end)) as string });
        yield;
      } else if (++short % SHORT_TEXTS_AT_ONCE === 0) {
        yield;
      }
      start = json.indexOf('"', end);
    }
  }
  return texts;
}

const cutText = (json: string, { start, end, text }: LongText, codePoints: number): string =>
  text.length <= codePoints ? json.slice(start, end) : JSON.stringify(clip(text, codePoints));

function* cutTexts(
  json: string,
  members: readonly JsonMember[],
  texts: readonly LongText[],
  codePoints: number,
): Generator<void, string, void> {
  const metadata = members.find(({ name }) => name === 'metadata');
  const isMarked = !metadata || [...jsonMembers(json, metadata.valueStart)].some(({ name }) => name === 'truncated');
  const markAt = metadata ? metadata.end - 1 : -1;
  let cut = '';
  let copied = 0;
  const copyTo = (end: number): void => {
    if (!isMarked && copied <= markAt && end > markAt) {
      cut += `${json.slice(copied, markAt)},${MARK}`;
      copied = markAt;
    }
    cut += json.slice(copied, end);
    copied = end;
  };
  for (const text of texts) {
    copyTo(text.start);
    cut += cutText(json, text, codePoints);
    copied = text.end;
    yield;
  }
  copyTo(json.length);
  return cut;
}
