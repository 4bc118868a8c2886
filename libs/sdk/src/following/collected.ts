import { PlainReader } from '../recording/plain-reader.js';

/** The items of a generator or stream as they were when they came, up to what is recorded of them. */
export class Collected {
  private readonly items: unknown[] = [];
  private units = 0;

  constructor(private readonly payloadBytes: number) {}

  add(item: unknown): void {
    // So much more is kept than is recorded that it is seen to be cut.
    if (this.units > this.payloadBytes) return;
    // Secrets are left out when all of it is recorded, behind the application's own mask.
    const reader = new PlainReader(this.payloadBytes, false);
    this.items.push(reader.read(item, ''));
    this.units += reader.length;
    // Others than texts are not joined: they have a comma each.
    if (typeof item !== 'string') this.units++;
  }

  /**
   * @param returned what a generator returned after its items.
   * @returns texts as one text, all else as a list.
   */
  whole(returned: unknown): unknown {
    const { items } = this;
    if (items.length === 0 && returned !== undefined) return returned;
    const whole = items.length > 0 && items.every((item) => typeof item === 'string') ? items.join('') : items;
    return returned === undefined ? whole : { items: whole, returned };
  }
}
