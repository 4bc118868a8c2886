import { stripVTControlCharacters } from 'node:util';

/** An element; members that are `undefined` are left out. */
export interface XmlElement {
  name: string;
  attributes?: Readonly<Record<string, string | number | undefined>>;
  /** Elements, or a text. */
  content?: readonly XmlElement[] | string;
}

/** A document of one element, indented. Texts may hold anything: what XML cannot say is left out. */
export const xmlDocument = (root: XmlElement): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}\n`;

function elementText({ name, attributes = {}, content }: XmlElement, indent: string): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${attributeText(String(value))}"`);
  const head = `${indent}<${name}${written.join('')}`;
  if (content === undefined || content.length === 0) return `${head}/>`;
  if (typeof content === 'string') return `${head}>${escaped(content)}</${name}>`;
  return [`${head}>`, ...content.map((child) => elementText(child, `${indent}  `)), `${indent}</${name}>`].join('\n');
}

/** Line ends and tabs of an attribute would be read as blanks. */
const attributeText = (text: string): string =>
  escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');

/** Everything that XML 1.0 does not take in any form (section 2.2), and the controls that it takes and no reader shows. */
// oxlint-disable-next-line no-control-regex
const UNSAYABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]/g;

const escaped = (text: string): string =>
  stripVTControlCharacters(text)
    .toWellFormed()
    .replace(UNSAYABLE, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
