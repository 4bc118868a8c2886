import { describeAnswer, type GivenAnswer } from './cassette-answer.js';
import { labelOf, readBody, readCassette, StoredEntry, writeCassette } from './cassette-file.js';
import { describeRequest, differencesOf, differenceText, RequestMatch, type GivenRequest } from './cassette-request.js';
import { readCassetteRules, type CassetteRules } from './cassette-rules.js';
import type { CassetteMode } from './cassette.settings.js';
import type { CassetteEntry, CassetteRequest, Mask } from './entry.js';

const DIFFERENCES_SHOWN = 3;

/** Recordings that a miss is compared with, and differences that are counted of one. */
const COMPARED_MAX = 500;
const COUNTED_MAX = 50;

/** The most misses that a report has in words. */
const MISSES_SHOWN = 20;

export interface CassetteReport {
  name: string;
  hits: number;
  misses: number;
  /** Why, the first of them. */
  reasons: string[];
  /** Calls that are recorded now, and that could not be. */
  recorded: number;
  /** Recordings that no call asked for: their places in the file, and what they are of. */
  unused: { index: number; label: string }[];
}

/** A cassette in use: what is on it, what was asked of it, and what is recorded. */
export class Cassette {
  private readonly rules: CassetteRules;
  private readonly mask: Mask;
  private readonly match: RequestMatch;
  private readonly entries: StoredEntry[];
  private readonly byDigest = new Map<string, StoredEntry[]>();
  /** What is recorded, by the places of the calls in the order in which they began. */
  private readonly recorded = new Map<number, StoredEntry>();
  private begun = 0;
  private recordings = 0;
  private readonly bodies = new Map<string, Buffer>();
  private hits = 0;
  private misses = 0;
  private readonly reasons: string[] = [];
  private isChanged = false;

  /**
   * @param file its path; it need not exist.
   * @param masks what masks by the rules beside it.
   * @throws Error when the file or the rules beside it cannot be read.
   */
  constructor(
    readonly file: string,
    private readonly name: string,
    readonly mode: CassetteMode,
    masks: (rules: CassetteRules) => Mask,
  ) {
    this.rules = readCassetteRules(file);
    this.mask = masks(this.rules);
    this.match = new RequestMatch(this.rules.ignore);
    const content = mode === 'record' ? null : readCassette(file);
    this.entries = content?.entries ?? [];
    // Digests that were made by other rules, or of what people have changed, find nothing.
    const areOfTheseRules = JSON.stringify(content?.ignore) === JSON.stringify(this.rules.ignore);
    for (const stored of this.entries) {
      const isSound = areOfTheseRules && stored.isAsWritten;
      const digest = isSound ? stored.digest : this.match.digest(stored.entry.request, stored.isReconstructed);
      this.index(digest, stored);
    }
  }

  /** @param extra masks what the call itself shows to be a credential. */
  describe(request: GivenRequest, extra: Mask): CassetteRequest {
    return describeRequest(request, (value) => extra(this.mask(value)));
  }

  /**
   * @returns the recorded call that answers a request, each in its turn and the last one again and again; `null` when none does.
   * @throws Error when it cannot be read.
   */
  find(request: CassetteRequest): CassetteEntry | null {
    const found =
      this.byDigest.get(this.match.digest(request)) ?? this.byDigest.get(this.match.digest(request, true)) ?? [];
    const stored = found.find(({ uses }) => uses === 0) ?? found.at(-1);
    if (stored === undefined) return null;
    const { entry } = stored;
    stored.uses++;
    this.hits++;
    return entry;
  }

  /** A call is not on the cassette. @returns what to say of it: the nearest recording, and how it differs. */
  missed(request: CassetteRequest): string {
    const label = labelOf(request);
    const asked = [false, true].map((ofSpan) => this.match.canonical(request, ofSpan));
    const same = this.entries.filter((stored) => stored.label === label).slice(0, COMPARED_MAX);
    let nearest = COUNTED_MAX + 1;
    let differences: string[] = [];
    for (const { entry, isReconstructed: ofSpan } of same) {
      const recorded = this.match.canonical(entry.request, ofSpan);
      const found = differencesOf(asked[Number(ofSpan)], recorded, COUNTED_MAX);
      if (found.length >= nearest) continue;
      nearest = found.length;
      differences = found.slice(0, DIFFERENCES_SHOWN).map(differenceText);
      if (found.length > DIFFERENCES_SHOWN)
        differences.push(`and ${found.length - DIFFERENCES_SHOWN} more differences`);
    }
    const why =
      same.length === 0
        ? `nothing of ${label} is recorded there`
        : `the nearest recording differs: ${differences.join('; ')}`;
    const reason = `${label} is not on the cassette ${this.name}: ${why}`;
    this.noteMiss(reason);
    return `${reason}. Record it with --mode record or hybrid (SPANDREL_CASSETTE_MODE).`;
  }

  private noteMiss(reason: string): void {
    this.misses++;
    if (this.reasons.length < MISSES_SHOWN) this.reasons.push(reason);
  }

  /** A call goes out. @returns where its recording will stand. */
  begin(): number {
    return this.begun++;
  }

  /** Keeps a call that went out; one that no file can hold counts as a miss. @param place as {@link begin} returned it. */
  record(
    place: number,
    request: CassetteRequest,
    answer: GivenAnswer,
    extra: Mask,
    usage: CassetteEntry['usage'] | undefined,
  ): void {
    const mask: Mask = (value) => extra(this.mask(value));
    try {
      const described = describeAnswer(answer, mask, (name, data) => this.bodies.set(name, data));
      this.recorded.set(place, StoredEntry.of({ request, answer: described, ...(usage && { usage }) }, this.match));
    } catch (error) {
      return this.noteMiss(`${labelOf(request)} could not be recorded: ${(error as Error).message}`);
    }
    this.recordings++;
    this.isChanged = true;
  }

  /** @returns a large body of an answer. @throws Error when its file is missing. */
  body(name: string): Buffer {
    return this.bodies.get(name) ?? readBody(this.file, name);
  }

  /** Puts what was recorded in place, from where it answers, too. @throws Error when the disk does not take it. */
  save(): void {
    if (!this.isChanged) return;
    const recorded = [...this.recorded].toSorted(([a], [b]) => a - b).map(([, stored]) => stored);
    const entries = [...this.entries, ...recorded];
    writeCassette(this.file, { ignore: this.rules.ignore, entries }, this.bodies);
    this.isChanged = false;
    if (this.mode === 'record') return;
    this.recorded.clear();
    for (const stored of recorded) {
      stored.uses++;
      this.entries.push(stored);
      this.index(stored.digest, stored);
    }
  }

  private index(digest: string, stored: StoredEntry): void {
    const same = this.byDigest.get(digest);
    if (same) same.push(stored);
    else this.byDigest.set(digest, [stored]);
  }

  get report(): CassetteReport {
    const unused = this.entries.flatMap(({ uses, label }, index) => (uses === 0 ? [{ index, label }] : []));
    const { name, hits, misses, reasons, recordings: recorded } = this;
    return { name, hits, misses, reasons, recorded, unused };
  }
}
