import type { ExportCollection } from '@spandrel/contract';
import { FileFault, isSpace, JsonNesting, PlainRuns, RowText } from '@spandrel/uploads';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** JSON text that the scanner has cut out, or why it cannot be had. */
type Cut = { json: string } | { fault: string };

/** An item of a collection with its place in it, or another member of the file. */
export type FilePart = ({ collection: ExportCollection; index: number } | { member: string }) & Cut;

type Place =
  | 'file'
  | 'first member'
  | 'member'
  | 'colon'
  | 'value'
  | 'end of member'
  | 'first item'
  | 'item'
  | 'nothing more'
  /** Within a name, an item, the value of another member. */
  | 'name'
  | 'in item'
  | 'in value';

/**
 * Cuts the text of an export into its items without reading them: it knows brackets and strings only. Pieces may be cut
 * anywhere; what is held is one item at most.
 */
export class CollectionScanner {
  private readonly row: RowText;
  private readonly seen = new Set<ExportCollection>();
  private place: Place = 'file';
  private nesting = new JsonNesting();
  private line = 1;
  private member = '';
  private collection: ExportCollection | undefined;
  private index = 0;

  /**
   * @param wanted the collections whose items are handed over; those of others are passed by.
   * @param itemBytesMax of one item, and of one other member; longer ones come as a fault.
   */
  constructor(
    private readonly wanted: ReadonlySet<ExportCollection>,
    private readonly known: readonly ExportCollection[],
    itemBytesMax: number,
  ) {
    this.row = new RowText(itemBytesMax);
  }

  get order(): ExportCollection[] {
    return [...this.seen];
  }

  /** Where it is: `spans[12]` or the name of a member; empty before the first. */
  get whereabouts(): string {
    return this.collection === undefined ? this.member : `${this.collection}[${this.index}]`;
  }

  /** @returns what ends in this piece. @throws FileFault where the text is no object with lists of items. */
  push(text: string): FilePart[] {
    const parts: FilePart[] = [];
    const runs = new PlainRuns(text);
    let newline = text.indexOf('\n');
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      if (this.nesting.isPlain) i = runs.endOf(i);
      for (; newline !== -1 && newline <= i; newline = text.indexOf('\n', newline + 1)) this.line++;
      if (i === text.length) break;
      const code = text.charCodeAt(i);
      if (this.nesting.inString) {
        this.nesting.follow(code);
        if (this.place === 'name' && !this.nesting.inString) {
          this.row.add(text.slice(start, i + 1));
          this.takeName();
        }
      } else if (this.place === 'in item' || this.place === 'in value') {
        if (!this.endsValue(code)) {
          this.nesting.follow(code);
        } else {
          this.keep(text.slice(start, i));
          this.take(parts);
          this.place = this.after(code);
        }
      } else if (!isSpace(code) && this.begins(code)) {
        start = i;
        this.nesting.follow(code);
      }
    }
    if (['name', 'in item', 'in value'].includes(this.place)) this.keep(text.slice(start));
    return parts;
  }

  /** Says that the text is over. @throws FileFault when the object is not. */
  end(): void {
    if (this.place === 'file') throw this.fault(NO_OBJECT);
    if (this.place !== 'nothing more') throw this.fault('the file ends before its object does');
  }

  private endsValue(code: number): boolean {
    if (this.nesting.depth > 0) return false;
    return code === COMMA || code === (this.place === 'in item' ? CLOSE_LIST : CLOSE_OBJECT);
  }

  private after(code: number): Place {
    if (this.place === 'in item') return code === COMMA ? 'item' : 'end of member';
    return code === COMMA ? 'member' : 'nothing more';
  }

  /** Whether a character outside of values begins a name or a value; if not it has its place between them. */
  private begins(code: number): boolean {
    switch (this.place) {
      case 'file':
        return this.expect(code === OPEN_OBJECT, 'first member', NO_OBJECT);
      case 'first member':
      case 'member':
        if (code === CLOSE_OBJECT && this.place === 'first member') return this.goTo('nothing more');
        if (code !== QUOTE) throw this.fault('the name of a member is missing');
        this.place = 'name';
        return true;
      case 'colon':
        return this.expect(code === COLON, 'value', 'a colon is missing behind the name of a member');
      case 'value':
        return this.beginsValue(code);
      case 'first item':
        if (code === CLOSE_LIST) return this.goTo('end of member');
        return this.beginsItem(code);
      case 'item':
        this.index++;
        return this.beginsItem(code);
      case 'end of member':
        if (code === CLOSE_OBJECT) return this.goTo('nothing more');
        return this.expect(code === COMMA, 'member', 'a comma is missing behind a list');
      default:
        throw this.fault('there is more behind the end of the object');
    }
  }

  private beginsValue(code: number): boolean {
    const collection = this.known.find((name) => name === this.member);
    if (collection !== undefined && code === OPEN_LIST) {
      if (this.seen.has(collection)) throw this.fault('the file has this list twice');
      this.seen.add(collection);
      this.collection = collection;
      this.index = 0;
      return this.goTo('first item');
    }
    if (code === COMMA || code === CLOSE_OBJECT) throw this.fault('the value of a member is missing');
    this.place = 'in value';
    return true;
  }

  private beginsItem(code: number): boolean {
    if (code === COMMA || code === CLOSE_LIST) throw this.fault('an item of the list is missing');
    this.place = 'in item';
    return true;
  }

  private expect(isThere: boolean, next: Place, otherwise: string): false {
    if (!isThere) throw this.fault(otherwise);
    return this.goTo(next);
  }

  private goTo(place: Place): false {
    this.place = place;
    return false;
  }

  private takeName(): void {
    const cut = this.cut();
    this.collection = undefined;
    try {
      if ('fault' in cut) throw this.fault('the name of a member is too long');
      this.member = JSON.parse(cut.json) as string;
    } catch (error) {
      throw error instanceof FileFault ? error : this.fault('the name of a member is not valid JSON');
    }
    this.place = 'colon';
  }

  private keep(text: string): void {
    if (this.place !== 'in item' || this.wanted.has(this.collection!)) this.row.add(text);
  }

  private take(parts: FilePart[]): void {
    const cut = this.cut();
    if (this.place === 'in value') parts.push({ member: this.member, ...cut });
    else if (this.wanted.has(this.collection!)) parts.push({ collection: this.collection!, index: this.index, ...cut });
  }

  private cut(): Cut {
    const row = this.row.take(this.line);
    this.nesting = new JsonNesting();
    if ('json' in row) return { json: row.json };
    return { fault: 'fault' in row ? row.fault : 'it cannot be read' };
  }

  private fault(message: string): FileFault {
    return new FileFault(this.line, message);
  }
}

const NO_OBJECT = 'the file is not the JSON object that an export is';
