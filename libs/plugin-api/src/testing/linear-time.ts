import assert from 'node:assert/strict';
import type { Finder } from '../masker.js';

/** What may stand between two beginnings. */
const FILLERS = ['', '-', '_', '.', ' ', '0', 'a', '"', 'a'.repeat(20)];
const GENERIC = [
  ...'aA0 \n@.-_+("\\/:=[<',
  ...['%40', '0 ', 'a ', 'a.', 'a@', '@a.'],
  ...['://', 'a://', 'a:b', '::', '1.1', '1:', '--', 'key=', '"key":"', 'bearer ', '-----BEGIN ', '-----END ', '{"a":'],
];

/** Characters of a value's beginning that are tried, and how many of all repetitions beside those of whole beginnings. */
const BEGINNING_MAX = 12;
const OTHERS_MAX = 300;

/** A beginning up to its last sign: `sk-`, `password=`. */
const LEAD = /^.{0,11}[^0-9A-Za-z]/su;

/** Texts that are made to be slow: beginnings of a masker's own values without their ends, again and again. */
export function repetitionsOf(texts: readonly { text: string; values: readonly string[] }[]): string[] {
  const wholes = texts.flatMap(({ text, values }) => [...values, text]);
  const leads = wholes
    .flatMap((whole) => LEAD.exec(whole)?.[0] ?? [])
    .flatMap((lead) => [lead, `${lead}-`, `${lead}_`]);
  const beginnings = wholes.flatMap((whole) => [
    ...Array.from({ length: Math.min(BEGINNING_MAX, whole.length) }, (_, length) => whole.slice(0, length + 1)),
    whole.slice(0, -1),
  ]);
  const others = [...new Set(beginnings.flatMap((piece) => FILLERS.map((filler) => piece + filler)))].filter(Boolean);
  // Spread over all of them, the same in every run.
  const stride = Math.max(1, others.length / OTHERS_MAX);
  const chosen = Array.from(
    { length: Math.min(others.length, OTHERS_MAX) },
    (_, at) => others[Math.floor(at * stride)]!,
  );
  return [...new Set([...leads, ...GENERIC, ...wholes.filter(Boolean), ...chosen])];
}

/** Characters of the first text; each further one is four times as long. */
const FIRST = 2_000;
const LONGEST = 32_000;
/** What takes less CPU, in milliseconds, at the longest is quick enough. */
const QUICK_MS = 12;
/** A text takes as long as its quarters, one after the other; time in the square of its length is four times as long. */
const RATIO_MAX = 2.5;
const TRIES = 4;

/**
 * Asserts that a finder's time grows with the length of a text and no faster, by its CPU against that of quarters.
 * @throws AssertionError naming the piece.
 */
export function assertLinear(finder: Finder, piece: string): void {
  for (let length = FIRST; length <= LONGEST; length *= 4) {
    const text = piece.repeat(Math.ceil(length / piece.length));
    if (cpuOf(() => exhaust(finder, text)) < QUICK_MS) continue;
    const quarter = text.slice(0, Math.ceil(text.length / 4));
    let least = Infinity;
    for (let tried = 0; tried < TRIES && least > RATIO_MAX; tried++) {
      const quarters = cpuOf(() => [1, 2, 3, 4].forEach(() => exhaust(finder, quarter)));
      least = Math.min(least, cpuOf(() => exhaust(finder, text)) / Math.max(quarters, 1));
    }
    const what = `${JSON.stringify(piece.slice(0, 60))} again and again, ${text.length} characters`;
    assert.ok(least <= RATIO_MAX, `${what}: takes ${least.toFixed(1)} times as long as in four parts`);
    return;
  }
}

function exhaust(finder: Finder, text: string): void {
  if (text.length < finder.lengthMin) return;
  for (const _found of finder.find(text)) continue;
}

function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
