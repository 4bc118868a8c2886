import type { ImportQuery } from '@spandrel/contract';
import { Invalid, Turn, type Scope } from '@spandrel/kernel';
import { CURRENT, type DatapointStore } from '../datapoint.store.js';
import { contentHash } from '../snapshots/dataset-snapshots.js';

const SLICE = 256;
/** Larger datasets are not looked through where nobody asked for it. */
const LOOKED_THROUGH_MAX = 50_000;
/** Contents that are compared, a hundred bytes of memory each. */
const CONTENTS_MAX = 200_000;

type Mode = Pick<ImportQuery, 'dedupe' | 'replace'>;

/** Compares the rows of an import with what the dataset has (docs/spec/import-export.md#rows-that-are-there-already). */
export class KnownContents {
  /** Rows that the dataset had, or with `dedupe` an earlier row of the file. */
  duplicates = 0;
  /** With `replace`: datapoints that stay. */
  kept = 0;
  /** Datapoints by their content, with `replace` less those that a row was found for. */
  private readonly ids = new Map<string, string[]>();

  private constructor(private readonly mode: Mode) {}

  /** @returns `undefined` where nothing is to be compared. @throws Invalid for a dataset that is too large to be. */
  static async read(
    datapoints: Pick<DatapointStore, 'after'>,
    scope: Scope,
    { id, datapointCount: count }: { id: string; datapointCount: number },
    mode: Mode,
    stop: AbortSignal,
  ): Promise<KnownContents | undefined> {
    const isAsked = mode.dedupe || mode.replace;
    if (!isAsked && (count === 0 || count > LOOKED_THROUGH_MAX)) return undefined;
    const contents = new KnownContents(mode);
    const turn = new Turn();
    for (let afterId = ''; ;) {
      stop.throwIfAborted();
      const rows = await datapoints.after(scope, id, CURRENT, afterId, SLICE);
      for (const row of rows) {
        if (turn.isOver()) await turn.next();
        contents.idsOf(await contentHash(row.kind)).push(row.id);
        afterId = row.id;
      }
      if (rows.length === 0) return contents;
    }
  }

  /** @param kind of a row, as JSON. @returns whether it is to be added. */
  async takes(kind: string): Promise<boolean> {
    const { dedupe, replace } = this.mode;
    const content = await contentHash(kind);
    const known = this.ids.get(content);
    const stays = replace && known?.shift() !== undefined;
    if (stays) this.kept++;
    const isDuplicate = stays || (known !== undefined && (dedupe || !replace));
    if (isDuplicate) this.duplicates++;
    if (dedupe) this.idsOf(content);
    return !isDuplicate || !(dedupe || replace);
  }

  /** Datapoints that go with `replace`: no row has their content. @throws Invalid for a file without rows. */
  listReplaced(added: number): string[] {
    if (!this.mode.replace) return [];
    if (added + this.kept === 0) throw refuse('replace', 'the file has no rows, and nothing was replaced');
    return [...this.ids.values()].flat();
  }

  private idsOf(content: string): string[] {
    const known = this.ids.get(content) ?? [];
    if (known.length === 0) this.ids.set(content, known);
    if (this.ids.size <= CONTENTS_MAX) return known;
    throw refuse(this.mode.replace ? 'replace' : 'dedupe', `compares ${CONTENTS_MAX} different datapoints at most`);
  }
}

const refuse = (path: string, message: string): Invalid =>
  new Invalid('validation_failed', `${path}: ${message}`, [{ path, message }]);
