/** A member of an {@link UnorderedList}. */
export interface ListMember {
  /** Position in the list, kept by the list; -1 while it is in none. */
  listIndex: number;
}

/**
 * A collection without order whose members come and go all the time. Unlike a `Set`, whose outgrown tables keep
 * former members alive until a full collection, it leaves nothing behind: at 20,000 calls a second that is most of
 * what the garbage collector would have to do.
 */
export class UnorderedList<T extends ListMember> {
  private readonly members: T[] = [];

  get size(): number {
    return this.members.length;
  }

  add(member: T): void {
    member.listIndex = this.members.push(member) - 1;
  }

  /** Does nothing when the member is not in the list. */
  remove(member: T): void {
    const { listIndex } = member;
    if (listIndex === -1) return;
    const last = this.members.pop()!;
    if (last !== member) {
      this.members[listIndex] = last;
      last.listIndex = listIndex;
    }
    member.listIndex = -1;
  }

  /** A copy of the members. */
  all(): T[] {
    return this.members.slice();
  }
}
