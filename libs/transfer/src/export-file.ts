import { setImmediate as nextTurn } from 'node:timers/promises';
import { EXPORT_COLLECTIONS, parseTimestamp, type ExportCollection } from '@spandrel/contract';
import { decodeUtf8, FileFault, type SpooledFile } from '@spandrel/uploads';
import { Invalid } from '@spandrel/kernel';
import { CollectionScanner, type FilePart } from './collection-scanner.js';
import { memberFault, readItem, readMember } from './import-items.js';

export type ItemPart = FilePart & { collection: ExportCollection; index: number };

/** Text read before the event loop turns, in UTF-16 units, about. */
const TEXT_AT_ONCE = 64 * 1024;

/** A spooled file that is to be imported, read from its beginning as often as need be, an item at a time. */
export class ExportFile {
  /**
   * @param itemBytesMax largest item.
   * @param valuesMax values that an item may have.
   */
  constructor(
    private readonly file: Pick<SpooledFile, 'chunks'>,
    private readonly itemBytesMax: number,
    private readonly valuesMax: number,
  ) {}

  /**
   * Reads all of it, so that a file with a fault imports nothing.
   * @param stop is looked at time and again; its reason is thrown.
   * @returns its collections in their order, and when it was exported, in ms; `undefined` when it does not say.
   * @throws Invalid `malformed_json` or `validation_failed` naming the place of the first fault.
   */
  async check(stop: AbortSignal): Promise<{ order: ExportCollection[]; exportedAt: number | undefined }> {
    const scanner = this.scanner(EXPORT_COLLECTIONS);
    let hasVersion = false;
    let exportedAt: number | undefined;
    for await (const part of this.parts(scanner)) {
      stop.throwIfAborted();
      if ('member' in part) {
        const value = await readMember(part, EXPORT_COLLECTIONS, this.valuesMax);
        hasVersion ||= part.member === 'version';
        if (part.member === 'exported_at' && typeof value === 'string') exportedAt = parseTimestamp(value);
      } else {
        await readItem(part.collection, part, this.valuesMax);
      }
    }
    if (!hasVersion) throw memberFault('version', 'is required');
    return { order: scanner.order, exportedAt };
  }

  async *items(wanted: readonly ExportCollection[]): AsyncGenerator<ItemPart> {
    for await (const part of this.parts(this.scanner(wanted))) if ('collection' in part) yield part;
  }

  private scanner(wanted: readonly ExportCollection[]): CollectionScanner {
    return new CollectionScanner(new Set(wanted), EXPORT_COLLECTIONS, this.itemBytesMax);
  }

  private async *parts(scanner: CollectionScanner): AsyncGenerator<FilePart> {
    try {
      let text = 0;
      for await (const piece of decodeUtf8(this.file.chunks())) {
        yield* scanner.push(piece);
        text += piece.length;
        if (text < TEXT_AT_ONCE) continue;
        text = 0;
        await nextTurn();
      }
      scanner.end();
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      const place = scanner.whereabouts;
      const where = place === '' ? `line ${error.line}` : `line ${error.line}, at ${place}`;
      throw new Invalid('malformed_json', `${where}: ${error.message}`);
    }
  }
}

/** What the items of a collection need to be there, directly or by way of others. */
const NEEDS: Readonly<Partial<Record<ExportCollection, readonly ExportCollection[]>>> = {
  spans: ['traces'],
  datapoints: ['datasets'],
  capture_rules: ['datasets'],
  datapoint_versions: ['datasets', 'datapoints'],
  queue_items: ['traces', 'spans', 'datasets', 'datapoints'],
  scores: ['traces', 'spans'],
  eval_runs: ['datasets', 'datapoints', 'datapoint_versions'],
  eval_results: ['datasets', 'datapoints', 'datapoint_versions', 'eval_runs'],
  eval_samples: ['datasets', 'datapoints', 'datapoint_versions', 'eval_runs'],
  eval_attempts: ['datasets', 'datapoints', 'datapoint_versions', 'eval_runs'],
  comments: ['traces', 'spans', 'datasets', 'datapoints', 'datapoint_versions', 'eval_runs', 'eval_results'],
};

/**
 * Which collections are read in one go: all, when in the file each comes behind what it needs; else the file is read once
 * for every level.
 * @param order the collections of the file.
 */
export function passes(order: readonly ExportCollection[]): ExportCollection[][] {
  const place = new Map(order.map((collection, index) => [collection, index]));
  const isInOrder = order.every((collection, index) =>
    (NEEDS[collection] ?? []).every((needed) => (place.get(needed) ?? -1) < index),
  );
  if (isInOrder) return [[...order]];
  const there = EXPORT_COLLECTIONS.filter((collection) => place.has(collection));
  const levels = [...Map.groupBy(there, levelOf)];
  return levels.toSorted(([a], [b]) => a - b).map(([, level]) => level);
}

const levelOf = (collection: ExportCollection): number =>
  Math.max(0, ...(NEEDS[collection] ?? []).map((needed) => levelOf(needed) + 1));
