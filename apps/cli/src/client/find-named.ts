import { CommandFailure } from './exit-codes.js';

/** What people call a kind of things, and how they tell those of one name apart. */
interface Kind<Item> {
  /** `datasets` */
  many: string;
  /** What is told of one beside its id. */
  about: (item: Item) => string;
}

/**
 * Finds the item of a list that has this id, or else this name.
 * @returns `undefined` when none has. @throws CommandFailure when several have the name.
 */
export async function findNamed<Item extends { id: string; name: string }>(
  items: AsyncIterable<Item>,
  nameOrId: string,
  { many, about }: Kind<Item>,
): Promise<Item | undefined> {
  const named: Item[] = [];
  for await (const item of items) {
    if (item.id === nameOrId) return item;
    if (item.name === nameOrId) named.push(item);
  }
  if (named.length > 1) {
    const lines = named.map((item) => `  ${item.id}  ${about(item)}`);
    throw new CommandFailure(
      [`${named.length} ${many} are called "${nameOrId}"; give the id of one:`, ...lines].join('\n'),
    );
  }
  return named[0];
}
