import { withinMs, type LoadedMasker } from '@spandrel/kernel';
import { type RecordingMasking, recordingMaskingSchema, type Problem } from '@spandrel/contract';
import { BegunHashes, Masking, maskTrace } from '@spandrel/masking/engine';
import type { CallerKey } from '../access/caller-key.js';
import type { CallFacts } from '../recording/call-facts.js';
import type { KeyChecks, Verdict } from '../access/key-checks.js';
import { readJson } from '@spandrel/plugin-api';
import { ApiRequests, isWrongCredential, type ApiAnswer } from '../access/api-requests.js';

/** How recordings of a credential are masked. */
export type RecordingRule =
  /** Nothing is masked. */
  | { kind: 'known'; masking: null }
  /** @property source what `masking` was made of, for other threads to make it of. */
  | { kind: 'known'; masking: Masking; source: RecordingMasking }
  /** The API has not answered yet: texts of a call may be kept in memory only. */
  | { kind: 'unknown' }
  /** The API will not say: nothing of what was said in a call is recorded. */
  | { kind: 'refused' };

export interface RecordingRulesOptions {
  /** How old an answer may be before the API is asked again, in the background. */
  freshMs?: number;
  /** Pause between questions while the API does not answer, or refuses. */
  retryMs?: number;
  /** How old an answer may be that a call begins with, as long as the API answers. */
  shownMs?: number;
  /** How long a call waits for an answer about its credential. */
  patienceMs?: number;
  /** Credentials that are remembered. */
  entriesMax?: number;
  tick?: () => number;
}

interface Entry {
  rule: RecordingRule;
  /** The answer that the rule was made of, so that the same one makes no new rule. */
  answer: string;
  /** When the API was asked last what it has answered, on the clock of `tick`. */
  answeredAt: number;
  /** Whether it gave no answer to the last question. */
  isAway: boolean;
  /** On the clock of `tick`; no question before that. */
  askAgainAt: number;
  asking: Promise<void> | null;
}

const UNKNOWN: RecordingRule = { kind: 'unknown' };
const REFUSED: RecordingRule = { kind: 'refused' };
const OWN = '';

/**
 * The masking rules of callers' projects (docs/spec/masking.md#at-the-gateway). The last answer stands while the API is away.
 */
export class RecordingRules {
  private readonly options: Required<RecordingRulesOptions>;
  private readonly entries = new Map<string, Entry>();
  private readonly listeners: (() => void)[] = [];
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    private readonly client: Pick<MaskingClient, 'ask'>,
    private readonly maskers: readonly LoadedMasker[],
    private readonly onFailure: (masker: string) => void,
    options: RecordingRulesOptions = {},
  ) {
    const tick = (): number => performance.now();
    this.options = { freshMs: 400, shownMs: 800, retryMs: 250, patienceMs: 250, entriesMax: 10_000, tick, ...options };
  }

  /** The rule of a credential as it is known; an old one is asked about again in the background. */
  of(caller: CallerKey | null): RecordingRule {
    const entry = this.entryOf(caller);
    if (this.options.tick() >= entry.askAgainAt) this.ask(caller, entry);
    return entry.rule;
  }

  /**
   * To be waited for before a call begins: rules that were changed hold within a second.
   * @returns a promise that settles when the rule is known as it is now, or a caller has waited long enough; nothing when it
   *   is known, and while the API is away.
   */
  ready(caller: CallerKey | null): Promise<void> | undefined {
    this.of(caller);
    const { rule, asking, answeredAt, isAway } = this.entryOf(caller);
    const isOld = this.options.tick() - answeredAt >= this.options.shownMs;
    if (!asking || (rule.kind !== 'unknown' && (isAway || !isOld))) return undefined;
    return withinMs(this.options.patienceMs, asking, () => undefined);
  }

  /** Has `listener` called whenever an unknown rule became known. */
  onKnown(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Asks about unknown rules of credentials that are waited for, until they are known. */
  pursue(): void {
    if (this.timer || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.listeners.forEach((listener) => listener());
    }, this.options.retryMs).unref();
  }

  close(): void {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
  }

  private entryOf(caller: CallerKey | null): Entry {
    const name = caller?.digest ?? OWN;
    let entry = this.entries.get(name);
    if (!entry) {
      entry = { rule: UNKNOWN, answer: '', answeredAt: -Infinity, isAway: false, askAgainAt: -Infinity, asking: null };
      this.entries.set(name, entry);
      if (this.entries.size > this.options.entriesMax) this.entries.delete(this.entries.keys().next().value!);
    }
    return entry;
  }

  private ask(caller: CallerKey | null, entry: Entry): void {
    const askedAt = this.options.tick();
    entry.asking ??= this.client
      .ask(caller)
      .then((answer) => this.learn(entry, answer, askedAt))
      .finally(() => (entry.asking = null));
  }

  private learn(entry: Entry, answer: MaskingAnswer, askedAt: number): void {
    const { freshMs, retryMs, tick } = this.options;
    const wasUnknown = entry.rule.kind === 'unknown';
    entry.askAgainAt = tick() + (answer.kind === 'known' ? freshMs : retryMs);
    entry.isAway = answer.kind === 'unavailable';
    if (answer.kind === 'unavailable') return;
    entry.answeredAt = askedAt;
    const text = JSON.stringify(answer);
    if (text !== entry.answer) entry.rule = this.ruleOf(answer);
    entry.answer = text;
    if (wasUnknown) this.listeners.forEach((listener) => listener());
  }

  private ruleOf(answer: Exclude<MaskingAnswer, { kind: 'unavailable' }>): RecordingRule {
    if (answer.kind === 'refused') return REFUSED;
    const { masking: source } = answer;
    const masking = maskingOf(source, this.maskers, this.onFailure);
    return masking ? { kind: 'known', masking, source } : { kind: 'known', masking: null };
  }
}

/**
 * What the rules of a project make of texts, in this thread.
 * @returns `null` where there are no rules.
 */
export function maskingOf(
  { rules, hash_key: key }: RecordingMasking,
  maskers: readonly LoadedMasker[],
  onFailure: (masker: string) => void,
): Masking | null {
  if (rules.length === 0) return null;
  const hashes = key === null ? null : new BegunHashes(Buffer.from(key, 'base64url'));
  return new Masking(rules, maskers, { hashes, onFailure });
}

/** What is known of a call when it begins, with what its headers say masked. */
export function maskFacts(masking: Masking, facts: CallFacts): CallFacts {
  const { captureNotUnderstood, unknownHeaders, doubledPath } = facts;
  return {
    ...facts,
    trace: maskTrace(masking, facts.trace),
    ...(captureNotUnderstood !== undefined && { captureNotUnderstood: masking.text(captureNotUnderstood, 'metadata') }),
    ...(unknownHeaders !== undefined && { unknownHeaders: masking.json(unknownHeaders, 'metadata') }),
    ...(doubledPath !== undefined && { doubledPath: masking.text(doubledPath, 'error') }),
  };
}

/** What is known of a call without what was said in it and what its headers say (docs/spec/masking.md#at-the-gateway). */
export function withoutContent(facts: CallFacts): CallFacts {
  const { captureNotUnderstood: _capture, unknownHeaders: _headers, doubledPath: _path, ...others } = facts;
  return { ...others, trace: {}, capture: { mode: 'off' } };
}

/** Checks callers' keys, and has a call wait a moment for the masking rules of its project where they are not known as they are now. */
export function keysWithRules(
  keys: Pick<KeyChecks, 'check'>,
  rules: Pick<RecordingRules, 'ready'>,
): Pick<KeyChecks, 'check'> {
  const withRules = (verdict: Verdict): Verdict | Promise<Verdict> => {
    const ready = verdict.ok ? rules.ready(verdict.caller) : undefined;
    return ready ? ready.then(() => verdict) : verdict;
  };
  return {
    check: (key) => {
      const verdict = keys.check(key);
      return verdict instanceof Promise ? verdict.then(withRules) : withRules(verdict);
    },
  };
}

export type MaskingAnswer =
  | { kind: 'known'; masking: RecordingMasking }
  /** The credential has no permission to read them. */
  | { kind: 'refused' }
  /** The API cannot be reached, or something else answers at its address. */
  | { kind: 'unavailable' };

const AWAY: MaskingAnswer = { kind: 'unavailable' };

/** Asks the API for the masking rules of a credential's project: `GET /api/masking` (docs/spec/masking.md#at-the-gateway). */
export class MaskingClient {
  private readonly requests: ApiRequests;
  private readonly ownAuthorization: string | null;

  /** @param apiKey the gateway's own credential, for calls without a caller's. */
  constructor(apiUrl: string, apiKey: string | null, timeoutMs: number) {
    this.requests = new ApiRequests(apiUrl, timeoutMs, 4, true);
    this.ownAuthorization = apiKey === null ? null : `Bearer ${apiKey}`;
  }

  async ask(caller: CallerKey | null): Promise<MaskingAnswer> {
    const authorization = caller === null ? this.ownAuthorization : caller.authorization;
    if (caller !== null && authorization === null) return AWAY;
    try {
      return readAnswer(await this.requests.send('/api/masking', authorization));
    } catch {
      return AWAY;
    }
  }

  async close(): Promise<void> {
    await this.requests.close();
  }
}

function readAnswer({ status, text }: ApiAnswer): MaskingAnswer {
  const answer = readJson(text);
  if (status === 200) {
    const masking = recordingMaskingSchema.safeParse(answer).data;
    return masking ? { kind: 'known', masking } : AWAY;
  }
  const code = (answer as Partial<Problem> | null | undefined)?.code;
  return isWrongCredential(answer) || code === 'insufficient_scope' ? { kind: 'refused' } : AWAY;
}
