import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { readJson } from '@spandrel/plugin-api';
import { KEY_PARAMETERS } from '../recording/secrets.js';
import type { CassetteRequest, FormPart, Mask } from './entry.js';

/** Members of a request that differ from run to run and change no answer. */
export const VOLATILE = ['user', 'metadata', 'stream_options', 'prompt_cache_key'] as const;

export interface GivenRequest {
  method: string;
  provider: string;
  /** Path and query. */
  url: string;
  isEncoded: boolean;
  body: Buffer;
  /** What {@link readForm} finds in the body. */
  form?: readonly FormField[] | null;
}

/** A field of a form: its text, or the bytes of a file. */
export interface FormField {
  name: string;
  content: string | Buffer;
}

/** @returns the request as a cassette has it: masked, without a header. */
export function describeRequest(given: GivenRequest, mask: Mask): CassetteRequest {
  const { method, provider, url } = given;
  return { method, provider, path: mask(withoutKeys(url)), ...describeBody(given, mask) };
}

function withoutKeys(url: string): string {
  const [path, query] = splitOnce(url, '?');
  const kept = query?.split('&').filter((pair) => !KEY_PARAMETERS.has(splitOnce(pair, '=')[0].toLowerCase()));
  return kept === undefined || kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

const splitOnce = (text: string, mark: string): [string, string?] => {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

function describeBody({ isEncoded, body, form }: GivenRequest, mask: Mask): Partial<CassetteRequest> {
  if (body.length === 0) return {};
  if (form) return { form: form.map((field) => describeField(field, mask)) };
  if (isEncoded || !isUtf8(body)) return { sha256: hash('sha256', body) };
  const text = body.toString('utf8');
  const json = readJson(text);
  return json === undefined ? { text: mask(text) } : { body: mask(json) };
}

const describeField = ({ name, content }: FormField, mask: Mask): FormPart =>
  typeof content === 'string'
    ? { name, text: mask(content) }
    : { name, sha256: hash('sha256', content), bytes: content.length };

/** @returns the fields of a multipart form in their order; `null` for a body that is none. */
export async function readForm(contentType: string | undefined, body: Buffer): Promise<FormField[] | null> {
  if (contentType === undefined || !/^multipart\/form-data\b/i.test(contentType)) return null;
  try {
    const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
    return await Promise.all(
      [...form].map(async ([name, value]) => ({
        name,
        content: typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()),
      })),
    );
  } catch {
    return null;
  }
}

/** Finds what is compared of requests: their JSON in one order, without what differs from run to run. */
export class RequestMatch {
  private readonly ignored: readonly string[][];

  /** @param ignore paths beyond {@link VOLATILE}: `messages[0].content`, `tools[*].description`. */
  constructor(ignore: readonly string[]) {
    this.ignored = [...VOLATILE, ...ignore].map((path) => path.split(/[.[\]]+/).filter((name) => name !== ''));
  }

  /** @returns 32 characters that are the same for requests that match. @param ofSpan compares as {@link asSpansHold} says. */
  digest(request: CassetteRequest, ofSpan = false): string {
    return hash('sha256', (ofSpan ? 'span' : '') + JSON.stringify(this.canonical(request, ofSpan))).slice(0, 32);
  }

  /** The parts of a request that count. */
  canonical(request: CassetteRequest, ofSpan = false): Record<string, unknown> {
    const { method, provider, path, body, text, form, sha256 } = ofSpan ? asSpansHold(request) : request;
    const ids = new Map<string, string>();
    return {
      ...{ method, provider, path },
      ...(body !== undefined && { body: this.ordered(body, this.ignored, ids) }),
      ...(text !== undefined && { text }),
      ...(form !== undefined && { form: form.map(({ bytes: _bytes, ...part }) => part) }),
      ...(sha256 !== undefined && { sha256 }),
    };
  }

  /** @param ignored what is left out below this value. */
  private ordered(value: unknown, ignored: readonly string[][], ids: Map<string, string>): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const below = (name: string): string[][] | null => {
      const rest = ignored.filter(([first]) => first === name || first === '*').map(([, ...others]) => others);
      return rest.some((path) => path.length === 0) ? null : rest;
    };
    if (Array.isArray(value)) {
      return value.flatMap((item, index) => {
        const inner = below(String(index));
        return inner === null ? [] : [this.ordered(item, inner, ids)];
      });
    }
    const object = value as Record<string, unknown>;
    const kept: [string, unknown][] = [];
    for (const name of Object.keys(object).toSorted()) {
      const inner = below(name);
      if (inner === null) continue;
      const member = object[name];
      const isId = typeof member === 'string' && (CALL_IDS.has(name) || (name === 'id' && isToolCall(object)));
      kept.push([name, isId ? numbered(ids, member) : this.ordered(member, inner, ids)]);
    }
    return Object.fromEntries(kept);
  }
}

/** A request without what a span does not say of it: the query, the host of a custom provider, members that are null. */
function asSpansHold({ body, ...request }: CassetteRequest): CassetteRequest {
  const path = splitOnce(request.path, '?')[0];
  const provider = splitOnce(request.provider, ' ')[0];
  const said: unknown = JSON.parse(
    JSON.stringify(body, (_, value: unknown) => (value === null ? undefined : value)) ?? 'null',
  );
  if (!path.endsWith('/responses')) return { ...request, provider, path, body: said };
  // To a span the prompt and a text are messages, and messages have no type.
  const { instructions, input, ...more } = Object(said) as Record<string, unknown>;
  const items = (Array.isArray(input) ? input : [{ role: 'user', content: input }]).map((item: unknown) => {
    const { type, ...message } = Object(item) as Record<string, unknown>;
    return type === 'message' ? message : item;
  });
  const system = instructions ? [{ role: 'system', content: instructions }] : [];
  return { ...request, provider, path, body: { ...more, input: [...system, ...items] } };
}

const CALL_IDS = new Set(['tool_call_id', 'tool_use_id', 'call_id']);

/** Whether an object with an id is a call of a tool: OpenAI's two APIs, Anthropic. */
const isToolCall = ({ type, function: called }: Record<string, unknown>): boolean =>
  called !== undefined || (typeof type === 'string' && /(?:^|_)(?:function|use|call)$/.test(type));

/** Ids of calls are new in each run: the first that a request names is `call 1`. */
function numbered(ids: Map<string, string>, id: string): string {
  let number = ids.get(id);
  if (number === undefined) ids.set(id, (number = `call ${ids.size + 1}`));
  return number;
}

export interface Difference {
  path: string;
  /** In the request, and on the cassette; `undefined` where it is missing. */
  asked: unknown;
  recorded: unknown;
}

/** @returns what differs, in the order of the request; at most `max`. Both are canonical. */
export function differencesOf(asked: unknown, recorded: unknown, max: number, path = ''): Difference[] {
  if (isTree(asked) && isTree(recorded) && Array.isArray(asked) === Array.isArray(recorded)) {
    const found: Difference[] = [];
    const names = new Set([...Object.keys(asked), ...Object.keys(recorded)]);
    for (const name of names) {
      if (found.length >= max) break;
      const place = Array.isArray(asked) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      found.push(...differencesOf(asked[name], recorded[name], max - found.length, place));
    }
    return found;
  }
  return Object.is(asked, recorded) ? [] : [{ path, asked, recorded }];
}

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The most characters that are shown of a text, and of what stands before its first difference. */
const SHOWN = 60;
const SHOWN_BEFORE = 20;

/** @returns a difference in words: `messages[1].content: "…at 5 pm" is "…at 6 pm" on the cassette`. */
export function differenceText({ path, asked, recorded }: Difference): string {
  // The body is what people write; its paths begin there.
  const place = path.replace(/^body\.?/, '') || 'the body';
  if (asked === undefined) return `${place}: is missing, ${shown(recorded, recorded)} on the cassette`;
  if (recorded === undefined) return `${place}: ${shown(asked, asked)} is not on the cassette`;
  return `${place}: ${shown(asked, recorded)} is ${shown(recorded, asked)} on the cassette`;
}

/** @returns a value, around the first character in which the other one differs. */
function shown(value: unknown, other: unknown): string {
  if (typeof value !== 'string') return cut(JSON.stringify(value) ?? 'nothing', 0);
  let same = 0;
  if (typeof other === 'string' && other !== value) {
    while (same < value.length && value[same] === other[same]) same++;
  }
  return JSON.stringify(cut(value, Math.max(0, same - SHOWN_BEFORE)));
}

function cut(text: string, from: number): string {
  const end = from + SHOWN;
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`.toWellFormed();
}
