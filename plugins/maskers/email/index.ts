import { defineMasker, NOTHING_FOUND, type Found } from '@spandrel/plugin-api';

/** E-mail addresses. Equal but for the case of their letters is equal. */
export default defineMasker({
  name: 'email',
  setup: () => ({
    label: 'email',
    finder: () => ({ lengthMin: 6, find: findEmails, canonical: canonicalEmail }),
  }),
});

const canonicalEmail = (value: string): string =>
  value
    .replace('%40', '@')
    .replaceAll(/[\u3002\uff61]/g, '.')
    .toLowerCase();

/** Ends of file names that look like the end of a domain: `icon@2x.png`. */
const FILE_ENDS = new Set('bmp css gif ico jpeg jpg js json jsx png svg ts tsx webp'.split(' '));

/** Longest address that there is (RFC 5321), and longest part before its `@`. */
const ADDRESS_MAX = 254;
const LOCAL_MAX = 64;

/** The addresses in a text, also with the `@` percent-encoded. A name without a dot behind the `@` is no address. */
function findEmails(text: string): readonly Found[] {
  let at = text.indexOf('@');
  let encoded = text.includes('%40') ? text.indexOf('%40') : -1;
  if (at === -1 && encoded === -1) return NOTHING_FOUND;
  const found: Found[] = [];
  let from = 0;
  while (at !== -1 || encoded !== -1) {
    const isPlain = encoded === -1 || (at !== -1 && at < encoded);
    const sign = isPlain ? at : encoded;
    const next = sign + (isPlain ? 1 : 3);
    const address = addressAround(text, from, sign, next);
    if (address) found.push(address);
    from = address?.end ?? next;
    if (isPlain) at = text.indexOf('@', next);
    else encoded = text.indexOf('%40', next);
  }
  return found;
}

function addressAround(text: string, from: number, sign: number, next: number): Found | undefined {
  const start = startOfLocal(text, Math.max(from, sign - LOCAL_MAX), sign);
  if (start === sign || text[sign - 1] === '.') return undefined;
  const end = endOfDomain(text, next);
  return end === undefined ? undefined : { start, end };
}

/** Latin letters, digits and signs of names go back to the next other letter: texts of Asia have no blank before an address. */
function startOfLocal(text: string, first: number, sign: number): number {
  const isOf = isOther(text.charCodeAt(sign - 1)) ? isOfName : isLatinOfLocal;
  let start = sign;
  while (start > first && isOf(text.charCodeAt(start - 1))) start--;
  while (start < sign && /[.'%-]/.test(text[start]!)) start++;
  return start;
}

/** Where the domain ends that begins here; `undefined` when there is none. */
function endOfDomain(text: string, start: number): number | undefined {
  const last = Math.min(text.length, start + ADDRESS_MAX);
  let labels = 0;
  let end: number | undefined;
  for (let at = start; at < last; at++) {
    const label = at;
    const isLatinLabel = isLatin(text.charCodeAt(label));
    // Behind Latin letters the full stop of a sentence in others ends it.
    const isSentence = labels > 0 && !isLatinLabel && isLatin(text.charCodeAt(label - 2));
    if (isSentence && (end !== undefined || text.charCodeAt(label - 1) !== FULL_STOP)) break;
    const isOf = isLatinLabel ? isLatin : isOfLabel;
    while (at < last && isOf(text.charCodeAt(at))) at++;
    const name = text.slice(label, at).replace(/(?<![_-])[_-]+$/, '');
    if (name === '' || name.startsWith('-')) break;
    labels++;
    if (labels > 1 && isTop(name)) end = label + name.length;
    else if (labels > 1) end = undefined;
    // Whatever stands behind a label that ends otherwise is no part of the domain.
    if (label + name.length !== at || !isDot(text.charCodeAt(at))) break;
  }
  return end;
}

/** Whether a domain may end in this label. */
const isTop = (label: string): boolean =>
  /^(?:[a-zÀ-ɏ]{2,63}|xn--[a-z0-9-]{1,59}|\p{L}[\p{L}\p{M}]{1,62})$/iu.test(label) &&
  !FILE_ENDS.has(label.toLowerCase());

/** The full stop, and those of Chinese and Japanese, which browsers take for one. */
const FULL_STOP = 0x2e;
const isDot = (code: number): boolean => code === FULL_STOP || code === 0x3002 || code === 0xff61;

/** Which of the first 0x250 characters a label may have, and a name before the `@`. */
const tableOf = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 0x250 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
const LATIN = tableOf(/[\wÀ-ɏ-]/);
const LOCAL = tableOf(/[\w.+'%À-ɏ-]/);

const isLatin = (code: number): boolean => LATIN[code] === 1;
const isLatinOfLocal = (code: number): boolean => LOCAL[code] === 1;
/** Letters, marks and digits of other scripts. */
const isOther = (code: number): boolean => code >= LATIN.length && /[\p{L}\p{M}\p{N}]/u.test(String.fromCharCode(code));
const isOfName = (code: number): boolean => isLatinOfLocal(code) || isOther(code);
const isOfLabel = (code: number): boolean => isLatin(code) || isOther(code);
