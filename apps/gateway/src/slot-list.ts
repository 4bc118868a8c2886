/** Something that stands in a {@link SlotList}. */
export interface Slotted {
  /** Its place; the list's own, -1 outside. */
  slot: number;
}

/**
 * A collection without order whose members come and go all the time. Unlike a `Set`, whose outgrown tables keep
 * former members alive until a full collection, it leaves nothing behind: at 20,000 calls a second that is most of
 * what the garbage collector would have to do.
 */
export class SlotList<T extends Slotted> {
  private readonly members: T[] = [];

  get size(): number {
    return this.members.length;
  }

  add(member: T): void {
    member.slot = this.members.push(member) - 1;
  }

  /** Does nothing when the member is not in the list. */
  remove(member: T): void {
    const { slot } = member;
    if (slot === -1) return;
    const last = this.members.pop()!;
    if (last !== member) {
      this.members[slot] = last;
      last.slot = slot;
    }
    member.slot = -1;
  }

  /** A copy of the members. */
  all(): T[] {
    return this.members.slice();
  }
}
