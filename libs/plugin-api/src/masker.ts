import type { PluginLogger } from './deps.js';

/** What a masker plugin gets in `setup`. */
export interface MaskerDeps {
  logger: PluginLogger;
}

/**
 * A masker: it knows values of one kind (e-mail addresses, card numbers) wherever they stand in a text, so that they are
 * replaced before the text is stored. Which texts and by what, the rules of a project say.
 */
export interface Masker<Config = unknown> {
  /** What stands in the place of a value: `email` becomes `[email]`. Small letters, digits, `_` and `-`. */
  readonly label: string;
  /**
   * Makes the finder of one rule. Called when rules are read or changed, not for every text.
   * @param config the plugin's config of yaml with the rule's own laid over it, checked and completed by its schema.
   * @throws anything: such a rule is refused with the message.
   */
  finder(config: Config): Finder;
}

/** A value in a text: UTF-16 units from `start` up to, and without, `end`. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the values of one kind. It is pure and synchronous, and quick: it looks at every text that is recorded, so it first
 * makes sure by something cheap (`text.includes('@')`) that there may be one. A finder that throws, answers nonsense or works
 * for longer than a second has the whole text masked. One that is made in a thread again, for long texts, is made of the same configs.
 */
export interface Finder {
  /** UTF-16 units of the shortest value; no shorter text is shown to it. */
  readonly lengthMin: number;
  /** Whether numbers of JSON are shown to it too, as they are written: one with a value in it is replaced as a whole. */
  readonly numbers?: boolean;
  /**
   * Whether it sees a text as it is written too. All see it as it is shown: escapes of JSON undone, and with usual blanks, hyphens and
   * digits.
   */
  readonly written?: boolean;
  /**
   * How many steps a character of a text takes at most, where it is more than a few: texts that would take too long go to a thread.
   * One step is some 30 ns. The time must grow with the length of a text, and no faster.
   */
  readonly work?: number;
  /**
   * @returns the values, in the order of the text; those that overlap are masked as one. A generator may be left before its end, when
   *   a text takes too long.
   */
  find(text: string): Iterable<Found>;
  /** The form in which equal values are equal, for keyed hashes: an address in small letters. Left out: as it stands. */
  canonical?(value: string): string;
}

/** What a finder answers that found nothing; one list for all. */
export const NOTHING_FOUND: readonly Found[] = Object.freeze([]);
