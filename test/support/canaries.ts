import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const RANDOM_LENGTH = 16;
/** So many random characters in a row are no coincidence, in files of megabytes. */
const PART_LENGTH = 7;

interface Needle {
  place: string;
  spelling: string;
  bytes: Buffer;
}

/**
 * Secrets made for one test and put wherever secrets go, one a place, so that a find says where it came from. A secret
 * counts as found in any spelling, and when seven of its random characters in a row are.
 */
export class Canaries {
  private readonly needles: Needle[] = [];

  /**
   * Makes the secret of a place. It holds quotes, a slash, a backslash and a percent sign, which JSON and URLs escape,
   * with random letters and digits on either side.
   * @param prefix what it begins with, as the keys of a provider do; not looked for.
   */
  plant(place: string, prefix = 'sk-'): string {
    const halves = [randomText(), randomText()];
    for (const half of halves) this.watch(place, half);
    return `${prefix}${halves.join('"/\\%+')}`;
  }

  /** The places whose secrets a text or a file's bytes hold, with their spelling. */
  findIn(where: string | Buffer): string[] {
    const bytes = typeof where === 'string' ? Buffer.from(where) : where;
    const found = this.needles.filter((needle) => bytes.includes(needle.bytes));
    return [...new Set(found.map(({ place, spelling }) => `${place} (${spelling})`))];
  }

  /** As {@link findIn}, for all files below a folder. @param except names of files that may hold secrets. */
  findInFiles(folder: string, except: readonly string[] = []): string[] {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !except.includes(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined)
      .flatMap((path) => this.findIn(readFileSync(path)).map((found) => `${path}: ${found}`));
  }

  private watch(place: string, text: string): void {
    const add = (spelling: string, spelled: string, encoding: BufferEncoding = 'latin1'): void =>
      void this.needles.push({ place, spelling, bytes: Buffer.from(spelled, encoding) });
    for (let at = 0; at + PART_LENGTH <= text.length; at++) {
      const part = text.slice(at, at + PART_LENGTH);
      add('plain', part);
      add('UTF-16', part, 'utf16le');
    }
    const hex = Buffer.from(text).toString('hex');
    add('hex', hex);
    add('hex', hex.toUpperCase());
    // A group of base64 holds three bytes: what comes before decides how the text falls into groups.
    for (let before = 0; before < 3; before++) {
      const coded = Buffer.from(`${' '.repeat(before)}${text}`).toString('base64');
      add('base64', coded.slice(4, 4 + 4 * Math.floor((text.length - 4) / 3)));
    }
  }
}

const randomText = (): string =>
  Array.from({ length: RANDOM_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
