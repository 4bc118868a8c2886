import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DomainEvents } from '@spandrel/events';
import { projectScope } from '@spandrel/kernel';
import { Storage, limitBySize } from '@spandrel/storage';
import { datapointCreated } from '../datapoint-resource.js';
import type { DatasetImportRow } from '../datapoint.entity.js';
import { DatasetStore } from '../dataset.store.js';
import { leaseUntil } from './staged-import.js';
import { ImportStore, type ImportedId } from './import.store.js';

/** How many datapoints one transaction announces or takes back. */
const DATAPOINTS_AT_ONCE = 256;
const BYTES_AT_ONCE = 1024 * 1024;

/** Does what is left to do about an import, bit by bit, other writers in between; can be interrupted and taken up again. */
@Injectable()
export class FinishImports {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly imports: ImportStore,
    private readonly events: DomainEvents,
  ) {}

  /** Takes an import for this process. @returns it; `undefined` when another one was faster. */
  async claim(abandoned: DatasetImportRow): Promise<DatasetImportRow | undefined> {
    const held = { ...abandoned, leaseUntil: leaseUntil() };
    return (await this.storage.write((tx) => this.imports.replace(tx, abandoned, held))) ? held : undefined;
  }

  /** Lets others take an import at once. */
  async release(held: DatasetImportRow): Promise<void> {
    await this.storage.write((tx) => this.imports.replace(tx, held, { ...held, leaseUntil: 0 }));
  }

  /**
   * Finishes an import: deletes the datapoints of an unpublished one, emits events for those of a published one.
   * @param lastId id of the last datapoint, when that is known.
   */
  async finish(import_: DatasetImportRow, signal: AbortSignal, lastId?: string): Promise<void> {
    const isPublished = import_.publishedVersion !== null;
    let held: DatasetImportRow | undefined = import_;
    let afterId = held.announcedThrough ?? held.id;
    while (held && !(lastId !== undefined && afterId >= lastId)) {
      const some = await this.someBehind(held, afterId);
      const throughId = some.at(-1)?.id;
      if (throughId === undefined) break;
      if (some.some(({ importId }) => importId === import_.id)) {
        if (signal.aborted) return this.release(held);
        held = isPublished
          ? await this.emitCreated(held, afterId, throughId)
          : await this.takeBack(held, afterId, throughId);
      }
      afterId = throughId;
      await nextTurn();
    }
    if (held) await this.end(held);
  }

  private async someBehind(held: DatasetImportRow, afterId: string): Promise<ImportedId[]> {
    const ids = await this.imports.ids(projectScope(held.projectId), held.datasetId, afterId, DATAPOINTS_AT_ONCE);
    return limitBySize(ids, BYTES_AT_ONCE);
  }

  /** Emits `datapoint_created` for datapoints that are still there; an earlier change has emitted its own event. */
  private emitCreated(
    held: DatasetImportRow,
    afterId: string,
    throughId: string,
  ): Promise<DatasetImportRow | undefined> {
    const scope = projectScope(held.projectId);
    const after = { ...held, announcedThrough: throughId, leaseUntil: leaseUntil() };
    return this.storage.write(async (tx) => {
      // Changes of datapoints lock the dataset too, so exactly one of the two emits the event.
      await this.datasets.findForWrite(tx, scope, held.datasetId);
      if (!(await this.imports.replace(tx, held, after))) return undefined;
      const rows = await this.imports.datapoints(tx, held, afterId, throughId);
      await this.events.emitWire(tx, scope, rows.map(datapointCreated));
      return after;
    });
  }

  private takeBack(held: DatasetImportRow, afterId: string, throughId: string): Promise<DatasetImportRow | undefined> {
    const after = { ...held, leaseUntil: leaseUntil() };
    return this.storage.write(async (tx) => {
      if (!(await this.imports.replace(tx, held, after))) return undefined;
      await this.imports.deleteDatapoints(tx, held, afterId, throughId);
      return after;
    });
  }

  private async end(held: DatasetImportRow): Promise<void> {
    await this.storage.write(async (tx) => {
      if (held.publishedVersion === null) await this.imports.delete(tx, held);
      else await this.imports.replace(tx, held, { ...held, unfinished: 0 });
    });
  }
}
