import type { Position } from '@spandrel/storage';

/** Ids that a walk looks at in one go. */
const LOOKED_AT = 1_000;

/** Datapoints of snapshots in order: up to `count` behind an id, or from the first on; fewer only at the end. */
export type IdsAfter = (afterId: string | undefined, count: number) => Promise<string[]>;

/**
 * Goes through datapoints in order and keeps some of them.
 * @param keep which of some ids are kept. @param count how many are wanted.
 * @returns their positions, as a list has them whose value is `valueOf` the id. Fewer only at the end.
 */
export async function walkIds(
  idsAfter: IdsAfter,
  keep: (ids: readonly string[]) => Promise<(id: string) => boolean>,
  valueOf: (id: string) => Position['value'],
  from: Position | undefined,
  count: number,
): Promise<Position[]> {
  const kept: Position[] = [];
  for (let after = from?.id; ;) {
    const ids = await idsAfter(after, LOOKED_AT);
    const isKept = await keep(ids);
    for (const id of ids) {
      if (isKept(id)) kept.push({ value: valueOf(id), id });
      if (kept.length === count) return kept;
    }
    if (ids.length < LOOKED_AT) return kept;
    after = ids.at(-1);
  }
}
