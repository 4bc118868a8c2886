/**
 * A queue in which groups take turns at every level of their path, such as organization, project, run; what has the
 * same path comes out in order. Adding and taking cost the length of the path, however much waits.
 */
export class Rotation<T> {
  private count = 0;
  /** In the order of their turns: a group that had its turn goes to the end. */
  private readonly groups = new Map<string, Rotation<T>>();
  private readonly items: T[] = [];
  private head = 0;

  get size(): number {
    return this.count;
  }

  sizeOf(path: readonly string[]): number {
    const [name, ...inner] = path;
    return name === undefined ? this.count : (this.groups.get(name)?.sizeOf(inner) ?? 0);
  }

  /** @param path of the groups that it belongs to, the outermost first; paths are of one length. */
  add(path: readonly string[], item: T, level = 0): void {
    this.count++;
    const name = path[level];
    if (name === undefined) {
      this.items.push(item);
      return;
    }
    let group = this.groups.get(name);
    if (!group) this.groups.set(name, (group = new Rotation()));
    group.add(path, item, level + 1);
  }

  /** Takes what has its turn; `undefined` when nothing waits. */
  take(): T | undefined {
    if (this.count === 0) return undefined;
    this.count--;
    const [first] = this.groups;
    if (!first) return this.takeItem();
    const [name, group] = first;
    const item = group.take();
    this.groups.delete(name);
    if (group.size > 0) this.groups.set(name, group);
    return item;
  }

  private takeItem(): T | undefined {
    const item = this.items[this.head++];
    if (this.head === this.items.length || this.head > 1_024) {
      this.items.splice(0, this.head);
      this.head = 0;
    }
    return item;
  }
}
