import type { ImportQuery } from '@spandrel/contract';
import { Invalid, Turn, type Scope } from '@spandrel/kernel';
import { CURRENT, type DatapointStore } from '../datapoint.store.js';
import { contentHash } from '../snapshots/dataset-snapshots.js';

const SLICE = 256;
/** Larger datasets are not looked through where nobody asked for it. */
const LOOKED_THROUGH_MAX = 50_000;
/** Contents that are kept in memory, a hundred bytes each. */
const CONTENTS_MAX = 500_000;
/** Datapoints that one transaction takes out. */
const REMOVED_MAX = 100_000;

type Mode = Pick<ImportQuery, 'dedupe' | 'replace'>;

/** Compares the rows of an import with what the dataset has (docs/spec/import-export.md#rows-that-are-there-already). */
export class KnownContents {
  /** Rows that the dataset had, or with `dedupe` an earlier row of the file. */
  duplicates = 0;
  /** With `replace`: datapoints that stay. */
  kept = 0;
  /** Datapoints by their content, less those that a row was found for. */
  private readonly ids = new Map<string, string[]>();

  private constructor(private readonly mode: Mode) {}

  /**
   * Looks through a dataset.
   * @returns `undefined` where nothing is to be compared. @throws Invalid for more than can be compared.
   */
  static async read(
    datapoints: Pick<DatapointStore, 'after'>,
    scope: Scope,
    { id, datapointCount: count }: { id: string; datapointCount: number },
    mode: Mode,
    stop: AbortSignal,
  ): Promise<KnownContents | undefined> {
    if (!mode.dedupe && !mode.replace && (count === 0 || count > LOOKED_THROUGH_MAX)) return undefined;
    const contents = new KnownContents(mode);
    const turn = new Turn();
    for (let afterId = ''; ;) {
      stop.throwIfAborted();
      const rows = await datapoints.after(scope, id, CURRENT, afterId, SLICE);
      const last = rows.at(-1);
      if (!last) return contents;
      for (const { id: datapointId, kind } of rows) {
        if (turn.isOver()) await turn.next();
        contents.keep(contentHash(kind), datapointId);
      }
      afterId = last.id;
    }
  }

  /** @param kind of a row, as JSON. @returns whether it is to be added. */
  takes(kind: string): boolean {
    const { dedupe, replace } = this.mode;
    const content = contentHash(kind);
    const known = this.ids.get(content);
    const stays = replace && known?.shift() !== undefined;
    if (stays) this.kept++;
    const isDuplicate = stays || (known !== undefined && (dedupe || !replace));
    if (isDuplicate) this.duplicates++;
    if (isDuplicate && (dedupe || replace)) return false;
    if (dedupe) this.keep(content);
    return true;
  }

  /** Datapoints that go with `replace`: no row has their content. @throws Invalid for a file without rows, or too many of them. */
  listReplaced(added: number): string[] {
    if (!this.mode.replace) return [];
    if (added + this.kept === 0) throw refuse('replace', 'the file has no rows, and nothing was replaced');
    const replaced = [...this.ids.values()].flat();
    if (replaced.length > REMOVED_MAX) {
      throw refuse(
        'replace',
        `takes ${REMOVED_MAX} datapoints out at most, not ${replaced.length}; make a new dataset`,
      );
    }
    return replaced;
  }

  private keep(content: string, id?: string): void {
    const known = this.ids.get(content);
    if (known) {
      if (id !== undefined) known.push(id);
      return;
    }
    if (this.ids.size === CONTENTS_MAX) {
      throw refuse(this.mode.replace ? 'replace' : 'dedupe', `compares ${CONTENTS_MAX} different datapoints at most`);
    }
    this.ids.set(content, id === undefined ? [] : [id]);
  }
}

const refuse = (path: string, message: string): Invalid =>
  new Invalid('validation_failed', `${path}: ${message}`, [{ path, message }]);
