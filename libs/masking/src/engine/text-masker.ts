import type { Found } from '@spandrel/plugin-api';
import { inPlace } from './in-place.js';
import { keyedHash } from './keyed-hash.js';
import type { PreparedRule } from './prepare-rules.js';

/** What stands in the place of a text whose rules failed. */
export const MASKED_WHOLE = '[masked]';

/** How long the rules of a field may look at one text; a text that takes longer is masked as a whole. */
const TEXT_MS_MAX = 1_000;

/** Where values were found, and which rule found them. */
interface Hit extends Found {
  readonly rule: PreparedRule;
}

/** What texts are masked with beside the rules. */
export interface TextMaskerParts {
  /** Key of the hashes; `null`: a rule that hashes fails. */
  readonly hashKey: Buffer | null;
  /** Is told of a rule that failed; never of the text. */
  readonly onFailure: (masker: string) => void;
  /** Is told of each value that was replaced. */
  readonly onReplaced?: (rule: PreparedRule) => void;
  /** Milliseconds on a clock that never goes back. */
  readonly tick?: () => number;
}

const NO_HITS: readonly Hit[] = [];

/** Masks the texts of one field by its rules, in their order. */
export class TextMasker {
  /** UTF-16 units of the shortest text that any rule looks at. */
  readonly lengthMin: number;
  /** Whether a rule looks at numbers of JSON. */
  readonly masksNumbers: boolean;
  private readonly tick: () => number;

  constructor(
    private readonly rules: readonly PreparedRule[],
    private readonly parts: TextMaskerParts,
  ) {
    this.lengthMin = Math.min(...rules.map(({ finder }) => finder?.lengthMin ?? 1));
    this.masksNumbers = rules.some(({ finder }) => finder === null || finder.numbers === true);
    this.tick = parts.tick ?? (() => performance.now());
  }

  /** The text without the values; the same text when there are none. Never throws. */
  mask(text: string): string {
    if (text.length < this.lengthMin) return text;
    let masker = '';
    try {
      const until = this.tick() + TEXT_MS_MAX;
      let hits: Hit[] | undefined;
      for (const rule of this.rules) {
        masker = rule.masker;
        const found = hitsOf(rule, text);
        if (found.length > 0) hits = hits ? [...hits, ...found] : [...found];
        if (this.tick() > until) throw new Error('took too long over a text');
      }
      return hits ? this.replaced(text, hits) : text;
    } catch {
      this.parts.onFailure(masker);
      return MASKED_WHOLE;
    }
  }

  /** What stands in the place of a number of JSON, as it is written; `undefined` when it stays. */
  maskNumber(written: string): string | undefined {
    const rules = this.rules.filter(({ finder }) => finder === null || finder.numbers === true);
    try {
      const hits = rules.flatMap((rule) => hitsOf(rule, written));
      return hits.length === 0 ? undefined : this.markOf(longest(hits), written);
    } catch {
      this.parts.onFailure(rules[0]!.masker);
      return MASKED_WHOLE;
    }
  }

  private replaced(text: string, hits: Hit[]): string {
    hits.sort((a, b) => a.start - b.start);
    let masked = '';
    let at = 0;
    for (let first = 0; first < hits.length;) {
      const { start } = hits[first]!;
      let { end } = hits[first]!;
      let next = first + 1;
      for (; next < hits.length && hits[next]!.start < end; next++) end = Math.max(end, hits[next]!.end);
      const mark = this.markOf(longest(hits.slice(first, next)), text);
      masked += text.slice(at, start) + inPlace(text, start, end, mark);
      at = end;
      first = next;
    }
    return masked + text.slice(at);
  }

  private markOf({ rule, start, end }: Hit, text: string): string {
    this.parts.onReplaced?.(rule);
    if (!rule.hashes) return `[${rule.label}]`;
    const value = text.slice(start, end);
    const canonical = rule.finder!.canonical?.(value) ?? value;
    if (this.parts.hashKey === null) throw new Error('there is no key for hashes');
    return `[${rule.label}:${keyedHash(this.parts.hashKey, rule.label, canonical)}]`;
  }
}

/** @throws Error when the finder throws, answers nonsense, or there is none. */
function hitsOf(rule: PreparedRule, text: string): readonly Hit[] {
  const { finder } = rule;
  if (finder === null) throw new Error('this rule cannot be kept here');
  if (text.length < finder.lengthMin) return NO_HITS;
  const found = finder.find(text);
  if (found.length === 0) return NO_HITS;
  return found.map(({ start, end }) => {
    const isPlace = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= text.length;
    if (!isPlace) throw new Error('named a place that is not in the text');
    return { start, end, rule };
  });
}

/** Among equals the first rule's. */
const longest = (hits: readonly Hit[]): Hit =>
  hits.reduce((most, hit) => (hit.end - hit.start > most.end - most.start ? hit : most));
