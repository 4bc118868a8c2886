import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId, Turn, Unavailable, type Scope } from '@spandrel/kernel';
import { maskDatapoint, maskedJson, type ProjectMasking } from '@spandrel/masking';
import type { Storage, WriteTx } from '@spandrel/storage';
import { newRow, type ChangeDatapoints, type NewDatapoint } from '../change-datapoints.js';
import type { DatasetImportRow } from '../datapoint.entity.js';
import type { DatasetRow } from '../dataset.entity.js';
import type { DatapointStore } from '../datapoint.store.js';
import type { DatasetStore } from '../dataset.store.js';
import type { ImportStore } from './import.store.js';
import { datasetNotFound } from '../dataset-participants.js';
import type { KnownContents } from './known-contents.js';

/** How long an import is left alone after the process that works on it has last been heard of. */
const LEASE_MS = 30_000;

/** The end of a lease taken or renewed now. */
export const leaseUntil = (): number => Date.now() + LEASE_MS;

/** A datapoint of a staged import, its kind as JSON text; ids are made after the import's own, in ascending order. */
type StagedDatapoint = Omit<NewDatapoint, 'kind'> & { kind: string };

/** Takes part in the transaction that makes the datapoints of an import visible. @param count of them. @param removed others. */
export type OnPublished = (tx: WriteTx, dataset: DatasetRow, count: number, removed: number) => void;

/** Another import was published since a dataset was looked through, so that what was found there says nothing. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Does the whole of an import again as long as others overtake it. */
export async function untilNotOvertaken<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
}

/** Datapoints that are removed at once. */
const REMOVED_AT_ONCE = 1_000;

interface StagedImportParts {
  storage: Storage;
  datasets: DatasetStore;
  datapoints: DatapointStore;
  imports: ImportStore;
  masking: ProjectMasking;
  changes: ChangeDatapoints;
}

/**
 * An import under way: its datapoints are written in transactions of their own, seen by nobody, and become visible in
 * one that writes two rows (ADR 0007). Each transaction makes sure that the dataset is there and the import still ours.
 */
export class StagedImport {
  readonly id = newId();
  /** What the dataset has, where rows are compared with it. */
  contents: KnownContents | undefined;
  /** The version in which the dataset was looked through, where what it had then decides what is added. */
  lookedThroughAt: number | undefined;
  /** What the database holds of it; nothing until the first datapoints are written. */
  held: DatasetImportRow | undefined;
  /** Datapoints that are written, and the id of the last one. */
  size = 0;
  lastId: string | undefined;
  /** Datapoints that were taken out. */
  removed = 0;
  private readonly startedAt = Date.now();

  constructor(
    private readonly parts: StagedImportParts,
    private readonly scope: Scope,
    private readonly datasetId: string,
    private readonly published?: OnPublished,
  ) {}

  /**
   * Writes datapoints, invisibly.
   * @throws NotFound `dataset_not_found` when the dataset has been deleted; Unavailable when another process has taken
   *   the import for abandoned.
   */
  async add(added: readonly StagedDatapoint[]): Promise<void> {
    const { storage, datapoints, imports } = this.parts;
    const masking = await this.parts.masking.of(this.scope);
    const stored: StagedDatapoint[] = [];
    const turn = new Turn();
    for (const datapoint of added) {
      if (turn.isOver()) await turn.next();
      // What is stored is compared with what is stored.
      const asStored = masking
        ? { ...datapoint, kind: await maskedJson(datapoint.kind, masking, maskDatapoint) }
        : datapoint;
      if ((await this.contents?.takes(asStored.kind)) !== false) stored.push(asStored);
    }
    if (stored.length === 0) return;
    const rows = stored.map((datapoint) => newRow(this.scope, this.datasetId, datapoint, 0, this.startedAt, this.id));
    const before = this.held;
    const after: DatasetImportRow = {
      publishedVersion: null,
      unfinished: 1,
      announcedThrough: null,
      ...before,
      projectId: this.scope.projectId,
      id: this.id,
      datasetId: this.datasetId,
      leaseUntil: leaseUntil(),
    };
    await storage.write(async (tx) => {
      if (before === undefined) {
        await this.parts.datasets.getForWrite(tx, this.scope, this.datasetId);
        await imports.insert(tx, after);
      } else if (!(await imports.replace(tx, before, after))) {
        throw await this.lost();
      }
      await datapoints.insert(tx, rows);
    });
    this.held = after;
    this.size += rows.length;
    this.lastId = rows.at(-1)!.id;
  }

  /**
   * Makes everything visible at once, takes out what is replaced, and raises the dataset's version; the datapoints are still
   * to be announced. Without a change it does nothing.
   * @throws like {@link add}.
   */
  async publish(): Promise<void> {
    const { storage, datasets, imports, changes } = this.parts;
    const { held } = this;
    const replaced = this.contents?.listReplaced(this.size) ?? [];
    this.removed = replaced.length;
    if (held === undefined && replaced.length === 0) return;
    this.held = await storage.write(async (tx) => {
      const now = Date.now();
      await this.assertNotOvertaken(tx);
      for (let at = 0; at < replaced.length; at += REMOVED_AT_ONCE) {
        const ids = replaced.slice(at, at + REMOVED_AT_ONCE);
        await changes.remove(tx, this.scope, this.datasetId, ids, now);
      }
      const dataset = await datasets.getForWrite(tx, this.scope, this.datasetId);
      this.published?.(tx, dataset, this.size, this.removed);
      if (held === undefined) return undefined;
      const version = dataset.version + 1;
      const after = { ...held, publishedVersion: version, leaseUntil: leaseUntil() };
      if (!(await imports.replace(tx, held, after))) throw await this.lost();
      dataset.version = version;
      dataset.datapointCount += this.size;
      dataset.updatedAt = now;
      return after;
    });
  }

  private async assertNotOvertaken(tx: WriteTx): Promise<void> {
    const { scope, datasetId, lookedThroughAt: version } = this;
    if (version === undefined) return;
    await this.parts.datasets.getForWrite(tx, scope, datasetId);
    if (await this.parts.imports.isAnySince(tx, scope, datasetId, version)) throw new Overtaken();
  }

  /** Why the import is not ours any more. */
  private async lost(): Promise<Error> {
    const dataset = await this.parts.datasets.find(this.scope, this.datasetId);
    return dataset ? new Unavailable('the import was given up because it stood still for too long') : datasetNotFound();
  }
}

/** Datapoints that one transaction writes: one statement on Postgres, a few milliseconds of the event loop on SQLite. */
const DATAPOINTS_AT_ONCE = 256;
/** Text of datapoints that one transaction writes, in UTF-16 units, about. */
const TEXT_AT_ONCE = 1024 * 1024;

/** Datapoints on their way into a staged import, written as many at a time as a transaction takes; others write in between. */
export class StagedBatch {
  private waiting: StagedDatapoint[] = [];
  private text = 0;

  /** @param stop ends it: nothing is written once it has fired. */
  constructor(
    private readonly staged: Pick<StagedImport, 'add'>,
    private readonly stop: AbortSignal,
  ) {}

  /** Whether those that wait are enough to be written. */
  get isFull(): boolean {
    return this.waiting.length >= DATAPOINTS_AT_ONCE || this.text >= TEXT_AT_ONCE;
  }

  put(datapoint: StagedDatapoint): void {
    this.waiting.push(datapoint);
    this.text += datapoint.kind.length;
  }

  /** Writes those that wait. @throws what `stop` fired with, and like {@link StagedImport.add}. */
  async flush(): Promise<void> {
    this.stop.throwIfAborted();
    if (this.waiting.length > 0) await this.staged.add(this.waiting);
    this.waiting = [];
    this.text = 0;
    await nextTurn();
  }
}
