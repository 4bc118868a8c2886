import type { Named } from '@spandrel/kernel';
import { type Dialect, type OtelSpan, type SpanReading, WorkedOut, type ReadUsage } from '@spandrel/plugin-api';

/** Hears of a dialect that threw over a span, by its name. */
type OnDialectError = (dialect: string, error: unknown) => void;

/**
 * Reads spans with all dialects that claim them and merges what they say: member by member, the first in the order of
 * config that has a value wins (docs/spec/otlp.md#how-readings-are-merged).
 */
export class DialectReader {
  private readonly claims: ClaimTable;

  constructor(
    private readonly dialects: readonly Named<Dialect>[],
    private readonly onError: OnDialectError,
  ) {
    this.claims = new ClaimTable(dialects.map(({ extension }) => extension));
  }

  /** @returns what is known of the span; values of odd types are left out. Never throws. */
  read(span: OtelSpan): SpanReading {
    const merged = emptyReading();
    for (const place of this.claims.claimants(span)) this.add(merged, this.dialects[place]!, span);
    return merged;
  }

  private add(merged: SpanReading, { name, extension }: Named<Dialect>, span: OtelSpan): void {
    try {
      const reading = extension.read(span);
      if (typeof reading !== 'object' || reading === null) return;
      addReading(merged, reading);
    } catch (error) {
      this.onError(name, error);
    }
  }
}

/** Beyond this many names, those that are new are looked up each time. */
const NAMES_MAX = 8_192;

const NOBODY: readonly number[] = Object.freeze([]);

/**
 * Who of the dialects claims a name. Names are few and come again and again, so the prefixes are gone through once for
 * each and the answer is remembered.
 */
class NameClaims {
  private readonly exact = new Map<string, number[]>();
  private readonly prefixes: { prefix: string; dialect: number }[] = [];
  private readonly known = new Map<string, readonly number[]>();

  add(names: readonly string[] | undefined, dialect: number): void {
    for (const name of names ?? []) {
      if (name.endsWith('*')) this.prefixes.push({ prefix: name.slice(0, -1), dialect });
      else this.exact.set(name, [...(this.exact.get(name) ?? []), dialect]);
    }
  }

  /** Places of the dialects that claim the name. */
  of(name: string): readonly number[] {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const claimed = new Set(this.exact.get(name));
    for (const { prefix, dialect } of this.prefixes) if (name.startsWith(prefix)) claimed.add(dialect);
    const places = claimed.size === 0 ? NOBODY : [...claimed];
    if (this.known.size < NAMES_MAX) this.known.set(name, places);
    return places;
  }
}

/** Which dialects are asked about a span: those that claim one of its names. */
class ClaimTable {
  private readonly events = new NameClaims();
  private readonly scopes = new NameClaims();
  private readonly spans = new NameClaims();
  private readonly ofAttributes: WorkedOut<readonly number[]>;

  constructor(dialects: readonly Pick<Dialect, 'claims'>[]) {
    const attributes = new NameClaims();
    dialects.forEach(({ claims }, place) => {
      attributes.add(claims.attributes, place);
      this.events.add(claims.events, place);
      this.scopes.add(claims.scopes, place);
      this.spans.add(claims.spans, place);
    });
    this.ofAttributes = new WorkedOut((names) => inOrder(names.flatMap((name) => attributes.of(name))));
  }

  /** @returns the places of the dialects that are asked, in their order. */
  claimants(span: OtelSpan): readonly number[] {
    const byAttributes = this.ofAttributes.of(span.attributes);
    const bySpan = this.spans.of(span.name);
    const byScope = this.scopes.of(span.scope.name);
    let places = withAll(withAll(byAttributes, bySpan), byScope);
    for (const { name } of span.events) places = withAll(places, this.events.of(name));
    return places;
  }
}

/** Mostly the places are there already. */
function withAll(places: readonly number[], more: readonly number[]): readonly number[] {
  for (const place of more) if (!places.includes(place)) return inOrder([...places, ...more]);
  return places;
}

const inOrder = (places: readonly number[]): readonly number[] => [...new Set(places)].sort((a, b) => a - b);

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

/** Dollars or milliseconds: a number from 0. */
export const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.some(isText);

const isPending = (value: unknown): boolean => isObject(value) && isText(value['spanId']);

const isFlag = (value: unknown): boolean => typeof value === 'boolean';

/** A reading that knows nothing, with a place for every member. */
const emptyReading = (): SpanReading => ({
  kind: undefined,
  model: undefined,
  responseModel: undefined,
  responseId: undefined,
  provider: undefined,
  usage: undefined,
  input: undefined,
  output: undefined,
  request: undefined,
  streaming: undefined,
  timeToFirstTokenMs: undefined,
  metadata: undefined,
  failure: undefined,
  session: undefined,
  user: undefined,
  tags: undefined,
  traceName: undefined,
  traceMetadata: undefined,
  pendingOf: undefined,
});

/**
 * Adds what a reading has and those before it have not. Every member is written out: a loop over their names took a tenth
 * of the time that dialects take.
 */
function addReading(merged: SpanReading, reading: SpanReading): void {
  if (merged.kind === undefined && isKind(reading.kind)) merged.kind = reading.kind;
  if (merged.model === undefined && isText(reading.model)) merged.model = reading.model;
  if (merged.responseModel === undefined && isText(reading.responseModel)) merged.responseModel = reading.responseModel;
  if (merged.responseId === undefined && isText(reading.responseId)) merged.responseId = reading.responseId;
  if (merged.provider === undefined && isText(reading.provider)) merged.provider = reading.provider;
  if (merged.usage === undefined && isUsage(reading.usage)) merged.usage = reading.usage;
  if (merged.input === undefined && isGiven(reading.input)) merged.input = reading.input;
  if (merged.output === undefined && isGiven(reading.output)) merged.output = reading.output;
  if (merged.request === undefined && isGivenMembers(reading.request)) merged.request = reading.request;
  if (merged.streaming === undefined && isFlag(reading.streaming)) merged.streaming = reading.streaming;
  if (merged.timeToFirstTokenMs === undefined && isAmount(reading.timeToFirstTokenMs))
    merged.timeToFirstTokenMs = reading.timeToFirstTokenMs;
  if (merged.metadata === undefined && isGivenMembers(reading.metadata)) merged.metadata = reading.metadata;
  if (merged.failure === undefined && isText(reading.failure)) merged.failure = reading.failure;
  if (merged.session === undefined && isText(reading.session)) merged.session = reading.session;
  if (merged.user === undefined && isText(reading.user)) merged.user = reading.user;
  if (merged.tags === undefined && isTexts(reading.tags)) merged.tags = reading.tags;
  if (merged.traceName === undefined && isText(reading.traceName)) merged.traceName = reading.traceName;
  if (merged.traceMetadata === undefined && isGivenMembers(reading.traceMetadata))
    merged.traceMetadata = reading.traceMetadata;
  if (merged.pendingOf === undefined && isPending(reading.pendingOf)) merged.pendingOf = reading.pendingOf;
}
