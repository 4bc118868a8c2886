import { isIPv6 } from 'node:net';
import { defineMasker, NOTHING_FOUND, type Found } from '@spandrel/plugin-api';

/** IP addresses, version 4 and 6. */
export default defineMasker({
  name: 'ip',
  setup: () => ({
    label: 'ip',
    finder: () => ({ lengthMin: 3, find: findAddresses, canonical: (value) => value.toLowerCase() }),
  }),
});

const DOTTED = /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}/y;

/** What says of four numbers with dots that they are a version. */
const VERSION_BEFORE = /(?:\bversion|\bver|\brelease|\bbuild|\bv)[\s.:=_-]*$/i;
const BEFORE_LENGTH = 12;

/** The addresses in a text. Four numbers with dots that are called a version are none. */
export function findAddresses(text: string): readonly Found[] {
  const dotted = text.includes('.') ? findDotted(text) : NOTHING_FOUND;
  const grouped = text.includes(':') ? findGrouped(text) : NOTHING_FOUND;
  if (dotted.length === 0) return grouped;
  return grouped.length === 0 ? dotted : [...dotted, ...grouped].toSorted((a, b) => a.start - b.start);
}

function findDotted(text: string): readonly Found[] {
  let found: Found[] | undefined;
  for (let dot = text.indexOf('.'); dot !== -1;) {
    let next = dot + 1;
    const second = text.indexOf('.', next);
    if (second === -1) break;
    if (second - dot <= 4 && isDigit(text.charCodeAt(next)) && isDigit(text.charCodeAt(dot - 1))) {
      let start = dot - 1;
      while (isDigit(text.charCodeAt(start - 1)) && dot - start < 4) start--;
      DOTTED.lastIndex = start;
      const value = DOTTED.exec(text)?.[0];
      const end = start + (value?.length ?? 0);
      if (value !== undefined && !isPartOf(text, start, end) && value.split('.').every(isOctet)) {
        if (!isVersion(text, start)) (found ??= []).push({ start, end });
      }
      while (isDigit(text.charCodeAt(next)) || text.charCodeAt(next) === DOT) next++;
    }
    dot = text.indexOf('.', next);
  }
  return found ?? NOTHING_FOUND;
}

const DOT = 0x2e;
const COLON = 0x3a;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const isVersion = (text: string, start: number): boolean =>
  VERSION_BEFORE.test(text.slice(Math.max(0, start - BEFORE_LENGTH), start));

const isOctet = (number: string): boolean => Number(number) <= 255 && (number.length === 1 || number[0] !== '0');

/** Whether the numbers go on before or behind. */
const isPartOf = (text: string, start: number, end: number): boolean =>
  /[\w.]/.test(text[start - 1] ?? ' ') || /^(?:\w|\.\d)/.test(text.slice(end, end + 2));

/** Hexadecimal digits and colons around a colon, at most as long as an address that ends in version 4. */
const GROUPED_MAX = 45;

function findGrouped(text: string): readonly Found[] {
  let found: Found[] | undefined;
  for (let colon = text.indexOf(':'); colon !== -1;) {
    // No group has more than four digits, so the next colon is near.
    const second = text.indexOf(':', colon + 1);
    if (second === -1) break;
    if (second - colon > 5) {
      colon = second;
      continue;
    }
    const { start, end } = runAround(text, colon);
    const value = trimmed(text.slice(start, end));
    if (isGrouped(value) && !/[\w]/.test(text[start - 1] ?? ' ') && !/[\w]/.test(text[end] ?? ' ')) {
      (found ??= []).push({ start, end: start + value.length });
    }
    colon = text.indexOf(':', endOfRun(text, Math.max(end, colon + 1)));
  }
  return found ?? NOTHING_FOUND;
}

/** A run longer than an address holds none further on: to look around each of its colons took 2.7 s for 4 MB of `::1:`. */
function endOfRun(text: string, from: number): number {
  let end = from;
  while (end < text.length && isGroup(text.charCodeAt(end))) end++;
  return end;
}

function runAround(text: string, colon: number): { start: number; end: number } {
  let start = colon;
  while (start > 0 && colon - start < GROUPED_MAX && isGroup(text.charCodeAt(start - 1))) start--;
  let end = colon + 1;
  while (end < text.length && end - start <= GROUPED_MAX && isGroup(text.charCodeAt(end))) end++;
  return { start, end };
}

const isGroup = (code: number): boolean =>
  isDigit(code) || code === COLON || code === DOT || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);

/** Without the full stop or colon of the sentence. */
const trimmed = (value: string): string => value.replace(/(?:(?<!\.)\.+|(?<!:):)$/, '');

/** A name of a programming language (`a::b`) has no digit. */
const isGrouped = (value: string): boolean =>
  value.length >= 3 && (value.includes('::') || hasAllGroups(value)) && /\d/.test(value) && isIPv6(value);

/** Whether there are colons for all groups, the last two of which may be an address of version 4: a time of day has fewer. */
function hasAllGroups(value: string): boolean {
  let colons = 0;
  for (let at = value.indexOf(':'); at !== -1; at = value.indexOf(':', at + 1)) colons++;
  return colons >= 6;
}
