import { createHmac } from 'node:crypto';

/** Characters of a hash: 80 bits. */
const LENGTH = 20;

/** Letters that stand for the digits of a hash: no masker takes them for a number. Those of a begun hash have no vowel, so that it is no key of AWS (`AKIA…`). */
const DONE = 'abcdefghijklmnop';
const BEGUN = 'BCDFGHJKLMNPQRTV';

const BEGUN_MARK = /\[([a-z][a-z0-9_-]{0,31}):([BCDFGHJKLMNPQRTV]{20})\]/g;

/** What masking puts in the place of a value: `[email]`, `[email:` and 20 letters `]`. */
const MASKED = /\[([a-z0-9_-]+)(:[A-Za-z]{20})?\]/g;

/** Whether a text has what masking put in the place of a value. @param labels those that rules may have. */
export const holdsMasked = (text: string, labels: ReadonlySet<string>): boolean =>
  text.matchAll(MASKED).some(([, label, hash]) => hash !== undefined || labels.has(label!));

/** UTF-16 units of the shortest mark with a begun hash. */
export const BEGUN_MARK_MIN = LENGTH + 4;

const BEGIN_DOMAIN = 'spandrel masking begin v1';

/** Makes what stands in the place of values that rules hash: 20 letters, equal for equal values of a label. */
export interface ValueHashes {
  of(label: string, value: string): string;
  /** Finishes a hash that was begun elsewhere; where hashes are only begun there is none. */
  finish?(label: string, begun: string): string;
}

/**
 * A gateway's part of a hash (docs/spec/masking.md#the-key-of-hashes): HMAC-SHA-256 of label and value under a key that everybody
 * has who may record. The server finishes it by another one, under a key that stays there.
 */
export class BegunHashes implements ValueHashes {
  constructor(private readonly key: Buffer) {}

  of(label: string, value: string): string {
    return lettersOf(this.key, label, value, BEGUN);
  }
}

/** The hashes of a project, as they are stored. */
export class ProjectHashes implements ValueHashes {
  /** What hashes of the project are begun with; nobody learns the project's key by it. */
  readonly beginKey: Buffer;
  private readonly begun: BegunHashes;

  constructor(private readonly key: Buffer) {
    this.beginKey = createHmac('sha256', key).update(BEGIN_DOMAIN).digest();
    this.begun = new BegunHashes(this.beginKey);
  }

  of(label: string, value: string): string {
    return this.finish(label, this.begun.of(label, value));
  }

  finish(label: string, begun: string): string {
    return lettersOf(this.key, label, begun, DONE);
  }
}

/** A mark with a begun hash, and where it stands in a text. */
export interface BegunMark {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  readonly hash: string;
}

/** The marks in a text that gateways have begun. */
export function begunMarks(text: string): BegunMark[] {
  return [...text.matchAll(BEGUN_MARK)].map(({ index, 0: mark, 1: label, 2: hash }) => ({
    start: index,
    end: index + mark.length,
    label: label!,
    hash: hash!,
  }));
}

function lettersOf(key: Buffer, label: string, value: string, letters: string): string {
  const hex = createHmac('sha256', key).update(`${label}\0${value}`).digest('hex').slice(0, LENGTH);
  let hash = '';
  for (const digit of hex) hash += letters[Number.parseInt(digit, 16)];
  return hash;
}
