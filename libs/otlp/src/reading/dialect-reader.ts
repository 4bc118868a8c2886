import type { Named } from '@spandrel/kernel';
import type { Dialect, DialectClaims, OtelSpan, ReadUsage, SpanReading } from '@spandrel/plugin-api';

/**
 * Reads spans with all dialects that claim them and merges what they say: member by member, the first in the order of
 * config that has a value wins (docs/spec/otlp.md#how-readings-are-merged).
 */
export class DialectReader {
  private readonly claims: ClaimTable;

  constructor(
    private readonly dialects: readonly Named<Dialect>[],
    private readonly onError: (dialect: string, error: unknown) => void,
  ) {
    this.claims = new ClaimTable(dialects.map(({ extension }) => extension));
  }

  /** @returns what is known of the span; values of odd types are left out. Never throws. */
  read(span: OtelSpan): SpanReading {
    const merged: SpanReading = {};
    for (const place of this.claims.claimants(span)) {
      const { name, extension } = this.dialects[place]!;
      try {
        const reading = extension.read(span);
        if (typeof reading === 'object' && reading !== null) addReading(merged, reading);
      } catch (error) {
        this.onError(name, error);
      }
    }
    return merged;
  }
}

/** Beyond this many names of spans, scopes or events, others are looked up each time; so are longer ones. */
const KNOWN_MAX = 1_024;
const NAME_LENGTH_MAX = 128;

class NameClaims {
  private readonly known = new Map<string, readonly number[]>();
  private readonly exact = new Map<string, number[]>();
  private readonly prefixes: { prefix: string; dialect: number }[] = [];

  add(names: readonly string[] | undefined, dialect: number): void {
    for (const name of names ?? []) {
      if (name.endsWith('*')) this.prefixes.push({ prefix: name.slice(0, -1), dialect });
      else this.exact.set(name, [...(this.exact.get(name) ?? []), dialect]);
    }
  }

  of(name: string): readonly number[] {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const claimed = [...(this.exact.get(name) ?? [])];
    for (const { prefix, dialect } of this.prefixes) if (name.startsWith(prefix)) claimed.push(dialect);
    if (this.known.size < KNOWN_MAX && name.length <= NAME_LENGTH_MAX) this.known.set(name, claimed);
    return claimed;
  }
}

class ClaimTable {
  private readonly claims: Readonly<Record<keyof DialectClaims, NameClaims>> = {
    attributes: new NameClaims(),
    events: new NameClaims(),
    scopes: new NameClaims(),
    spans: new NameClaims(),
  };

  constructor(dialects: readonly Pick<Dialect, 'claims'>[]) {
    for (const [place, { claims }] of dialects.entries()) {
      for (const [of, names] of Object.entries(this.claims)) names.add(claims[of as keyof DialectClaims], place);
    }
  }

  /** @returns the places of the dialects that are asked, in their order. */
  claimants({ attributes, events, scope, name }: OtelSpan): readonly number[] {
    const places = new Set([...this.claims.spans.of(name), ...this.claims.scopes.of(scope.name)]);
    for (const each of attributes.keys()) for (const place of this.claims.attributes.of(each)) places.add(place);
    for (const event of events) for (const place of this.claims.events.of(event.name)) places.add(place);
    return [...places].sort((a, b) => a - b);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isGiven = (value: unknown): boolean => isObject(value) && value['value'] !== undefined && value['value'] !== null;

const isGivenMembers = (value: unknown): boolean =>
  isObject(value) && isObject(value['value']) && Object.keys(value['value']).length > 0;

const isKind = (value: unknown): boolean => isObject(value) && isText(value['type']) && KINDS.has(value['type']);

const KINDS: ReadonlySet<unknown> = new Set(['llm_call', 'embedding', 'retrieval', 'tool_call', 'custom']);

/** Usage has a count or a cost, so that the next dialect is asked. */
function isUsage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { inputTokens, outputTokens, cost } = value as ReadUsage;
  return isCount(inputTokens) || isCount(outputTokens) || isAmount(cost);
}

/** A number of tokens: a whole number from 0. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.some(isText);

const isPending = (value: unknown): boolean => isObject(value) && isText(value['spanId']);

const COUNTS: Readonly<Record<keyof SpanReading, (value: unknown) => boolean>> = {
  kind: isKind,
  model: isText,
  responseModel: isText,
  responseId: isText,
  provider: isText,
  usage: isUsage,
  input: isGiven,
  output: isGiven,
  request: isGivenMembers,
  streaming: (value) => typeof value === 'boolean',
  timeToFirstTokenMs: isAmount,
  metadata: isGivenMembers,
  failure: isText,
  session: isText,
  user: isText,
  tags: isTexts,
  traceName: isText,
  traceMetadata: isGivenMembers,
  pendingOf: isPending,
};
const MEMBERS = Object.keys(COUNTS) as (keyof SpanReading)[];

function addReading(merged: Partial<Record<keyof SpanReading, unknown>>, reading: SpanReading): void {
  for (const name of MEMBERS) {
    if (merged[name] === undefined && COUNTS[name](reading[name])) merged[name] = reading[name];
  }
}
