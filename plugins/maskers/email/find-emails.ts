import { NOTHING_FOUND, type Found } from '@spandrel/plugin-api';

/** Characters of the part before the `@`, and of the labels behind it. */
const LOCAL = /[\w.+'%À-ɏ-]/;
const DOMAIN = /[\w.À-ɏ-]/;

/** Ends of file names that look like the end of a domain: `icon@2x.png`. */
const FILE_ENDS = new Set([
  'bmp',
  'css',
  'gif',
  'ico',
  'jpeg',
  'jpg',
  'js',
  'json',
  'jsx',
  'md',
  'png',
  'svg',
  'ts',
  'tsx',
  'webp',
]);

/** Longest address that there is (RFC 5321), and longest part before its `@`. */
const ADDRESS_MAX = 254;
const LOCAL_MAX = 64;

/** The addresses in a text, also with the `@` percent-encoded. A name without a dot behind the `@` is no address. */
export function findEmails(text: string): readonly Found[] {
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
  let start = sign;
  const first = Math.max(from, sign - LOCAL_MAX);
  while (start > first && LOCAL.test(text[start - 1]!)) start--;
  while (start < sign && /[.'%-]/.test(text[start]!)) start++;
  if (start === sign || text[sign - 1] === '.') return undefined;
  let end = next;
  const last = Math.min(text.length, next + ADDRESS_MAX);
  while (end < last && DOMAIN.test(text[end]!)) end++;
  while (end > next && /[._-]/.test(text[end - 1]!)) end--;
  return isDomain(text.slice(next, end)) ? { start, end } : undefined;
}

function isDomain(domain: string): boolean {
  const labels = domain.split('.');
  const top = labels.at(-1)!;
  if (labels.length < 2 || labels.some((label) => label === '' || label.startsWith('-'))) return false;
  return /^(?:[a-zÀ-ɏ]{2,24}|xn--[\w-]+)$/i.test(top) && !FILE_ENDS.has(top.toLowerCase());
}
