import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import { TAGS_MAX } from '@spandrel/contract';
import type { ExportCollection, ImportBundleResult, ImportJsonResult, RestoredTrace } from '@spandrel/contract';
import { ProjectMasking } from '@spandrel/masking';
import { Storage } from '@spandrel/storage';
import { cameAs, receiveUpload, UploadSpool, type SpooledFile, type UploadRules } from '@spandrel/uploads';
import type { StreamedBody } from '@spandrel/http';
import { CoreSettings, DomainError, Invalid, LOGGER, Unavailable, type Logger, type Scope } from '@spandrel/kernel';
import { BundleFile } from './bundle-file.js';
import { WriteImportBatch, emptyBatch, ImportProgress } from './import-batch.js';
import { ExportFile, type ItemPart, passes } from './export-file.js';
import { readItem } from './import-items.js';
import { TransferSettings } from './transfer.settings.js';

/** Items that one transaction writes, and their text in UTF-16 units, about: other writers get their turn in between. */
const BATCH = { items: 256, text: 1024 * 1024 };
const PROGRESS_ITEMS = 100_000;

/**
 * An item may hold what came in by so many bodies of requests: input, output, kind and metadata of a span may each have
 * been sent in one of their own.
 */
const BODIES_OF_AN_ITEM = 4;

/** `POST /api/import/json`: takes the file of an export back (docs/spec/transfer.md#the-import). */
@Injectable()
export class ImportEverything implements BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly batches: WriteImportBatch,
    private readonly spool: UploadSpool,
    private readonly core: CoreSettings,
    private readonly settings: TransferSettings,
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
    private readonly masking: ProjectMasking,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Ends the imports under way between two batches, and waits for that. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort(new Unavailable('the service is stopping'));
    await Promise.allSettled(this.running);
  }

  /**
   * Spools the upload, checks all of it, and writes it batch by batch: upserts by id, so that doing it again changes
   * nothing. A file with a fault imports nothing; what is written when the import is interrupted stays.
   * @param gone fires when the client leaves; the import ends with the batch under way then.
   * @throws Invalid `payload_too_large`, `unsupported_media_type`, `malformed_json`, `validation_failed`; Unavailable
   *   when the database is lost or the service stops on the way.
   */
  execute(scope: Scope, body: StreamedBody, gone: AbortSignal): Promise<ImportJsonResult> {
    return this.receive(scope, body, gone, assertJson, (file, stop) => this.import(scope, file, stop));
  }

  /**
   * `POST /api/import/bundle`: takes the traces, spans and scores of a file that `GET /api/traces/:id/bundle` made, as
   * {@link execute} does, and nothing else of it. The traces get the tag `imported`.
   * @throws what {@link execute} throws; Invalid `validation_failed` naming the part of the file that was changed.
   */
  executeBundle(scope: Scope, body: StreamedBody, gone: AbortSignal): Promise<ImportBundleResult> {
    return this.receive(scope, body, gone, assertHtml, async (file, stop) => {
      const bundle = new BundleFile(file, this.settings.importBytes);
      const { traces } = await bundle.check(stop);
      const result = await this.import(scope, bundle, stop, BUNDLED);
      return { ...result, trace_ids: traces.map(({ id }) => id) };
    });
  }

  private async receive<Result>(
    scope: Scope,
    body: StreamedBody,
    gone: AbortSignal,
    formatOf: UploadRules<void>['formatOf'],
    take: (file: SpooledFile, stop: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { importBytes } = this.settings;
    const sealed = (await this.masking.of(scope)) !== null;
    const { file } = await receiveUpload(body, this.spool, { bytesMax: importBytes, formatOf, sealed });
    const work = take(file, AbortSignal.any([gone, this.stop.signal]));
    this.running.add(work);
    try {
      return await work;
    } finally {
      this.running.delete(work);
      await file.close();
    }
  }

  /** @param only the collections that are taken; all when left out. */
  private async import(
    scope: Scope,
    content: Pick<SpooledFile, 'chunks'>,
    stop: AbortSignal,
    only?: readonly ExportCollection[],
  ): Promise<ImportJsonResult> {
    const { bodyBytes, bodyValues } = this.core;
    const file = new ExportFile(content, bodyBytes * BODIES_OF_AN_ITEM, bodyValues * BODIES_OF_AN_ITEM);
    const { order, exportedAt } = await file.check(stop);
    const wanted = order.filter((collection) => only?.includes(collection) ?? true);
    const progress = new ImportProgress(exportedAt);
    const target = { ...scope, targetId: scope.projectId };
    await this.audit.recordAlone(this.storage, { action: 'project.import_begun', ...target });
    try {
      for (const some of passes(wanted)) await this.write(scope, file.items(some), progress, stop, only !== undefined);
      const { imported, rejected_count } = progress.result;
      const details = { ...imported, rejected: rejected_count };
      await this.audit.recordAlone(this.storage, { action: 'project.imported', ...target, details });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'unavailable') throw error;
      const message = `${error.message}; imported so far: ${progress}; send the file again to go on`;
      throw new Unavailable(message, { cause: error });
    }
    return progress.result;
  }

  private async write(
    scope: Scope,
    parts: AsyncIterable<ItemPart>,
    progress: ImportProgress,
    stop: AbortSignal,
    isBundle: boolean,
  ): Promise<void> {
    let batch = emptyBatch();
    let items = 0;
    let text = 0;
    const flush = async (): Promise<void> => {
      stop.throwIfAborted();
      if (items > 0) await this.batches.execute(scope, batch, progress);
      batch = emptyBatch();
      [items, text] = [0, 0];
    };
    let done = 0;
    for await (const part of parts) {
      const { collection, index } = part;
      const item = await readItem(collection, part, this.core.bodyValues * BODIES_OF_AN_ITEM);
      const taken = isBundle && collection === 'traces' ? tagged(item as RestoredTrace) : item;
      (batch[collection] as { index: number; item: unknown }[]).push({ index, item: taken });
      items++;
      text += 'json' in part ? part.json.length : 0;
      if (items >= BATCH.items || text >= BATCH.text) await flush();
      if (++done % PROGRESS_ITEMS === 0) this.logger.info({ items: done }, 'importing');
    }
    await flush();
  }
}

/** What is taken of a file of traces, which a stranger may have made. */
const BUNDLED: readonly ExportCollection[] = ['traces', 'spans', 'scores'];
const TAG = 'imported';

/** A trace with the tag of those that came by a file, first: those that spans reported stand behind. */
function tagged(trace: RestoredTrace): RestoredTrace {
  const tags = trace.tags ?? [];
  if (tags.includes(TAG) || tags.length >= TAGS_MAX) return trace;
  const { origins } = trace;
  return { ...trace, tags: [TAG, ...tags], ...(origins && { origins: { ...origins, tags: origins.tags + 1 } }) };
}

function assertHtml(name: string | undefined, mediaType: string | undefined): void {
  if (/\.html?$/i.test(name ?? '') || /^text\/html\b/i.test(mediaType ?? '')) return;
  throw new Invalid(
    'unsupported_media_type',
    `the file came ${cameAs(name, mediaType)}; it must be the HTML that a trace was downloaded as: name it .html or send it as text/html`,
  );
}

function assertJson(name: string | undefined, mediaType: string | undefined): void {
  const type = (mediaType ?? '').split(';')[0]!.trim().toLowerCase();
  if (/\.json$/i.test(name ?? '') || type === 'application/json') return;
  throw new Invalid(
    'unsupported_media_type',
    `the file came ${cameAs(name, mediaType)}; it must be the JSON of an export: name it .json or send it as application/json`,
  );
}
