import { randomInt } from 'node:crypto';

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
  /** By their first four bytes: megabytes are searched for thousands of them in one pass. */
  private readonly needles = new Map<number, Needle[]>();

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
    const found = new Set<string>();
    let lastFour = 0;
    for (let at = 0; at < bytes.length; at++) {
      lastFour = (lastFour << 8) | bytes[at]!;
      for (const needle of this.needles.get(lastFour) ?? []) {
        const begin = at - 3;
        if (bytes.subarray(begin, begin + needle.bytes.length).equals(needle.bytes)) {
          found.add(`${needle.place} (${needle.spelling})`);
        }
      }
    }
    return [...found];
  }

  /** Searches like {@link findIn}, in files or tables by name. @param except names of those that may hold secrets. */
  findInContents(contents: readonly [where: string, bytes: Buffer][], except: readonly string[] = []): string[] {
    return contents
      .filter(([where]) => !except.includes(where))
      .flatMap(([where, bytes]) => this.findIn(bytes).map((found) => `${where}: ${found}`));
  }

  private watch(place: string, text: string): void {
    const add = (spelling: string, spelled: string, encoding: BufferEncoding = 'latin1'): void => {
      const bytes = Buffer.from(spelled, encoding);
      const begin = bytes.readInt32BE();
      this.needles.set(begin, [...(this.needles.get(begin) ?? []), { place, spelling, bytes }]);
    };
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
