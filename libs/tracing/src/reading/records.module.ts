import { Module } from '@nestjs/common';
import { LOGGER, type Logger } from '@spandrel/kernel';
import { DayPartitions, Storage } from '@spandrel/storage';
import { MetadataIndex } from '../metadata/metadata-index.store.js';
import { SpanOutlineStore } from '../outline/span-outline.store.js';
import { FindTalks } from '../outline/find-talks.js';
import { RecordScanStore } from '../record-scan.store.js';
import { SpanStore } from '../span.store.js';
import { SPAN_DAYS } from '../tables.js';
import { TraceStore } from '../trace.store.js';
import { SpanCommitParticipants } from '../write/span-commit-participant.js';
import { BoundedScan } from './bounded-scan.js';
import { ColdTexts } from './cold-texts.js';
import { ReadStorePort } from './read-store-port.js';
import { ScoresPort } from './scores-port.js';
import { SpanLookups } from './span-lookups.store.js';
import { TraceLookups } from './trace-lookups.store.js';

const STORES = [
  ...[SpanStore, TraceStore, SpanOutlineStore, FindTalks, RecordScanStore, SpanLookups, TraceLookups, BoundedScan],
  ...[MetadataIndex, ColdTexts],
];

/** The tables of traces and spans, and who takes part in their changes. */
@Module({
  providers: [
    ...STORES,
    SpanCommitParticipants,
    ScoresPort,
    ReadStorePort,
    {
      provide: DayPartitions,
      inject: [Storage, LOGGER],
      useFactory: (storage: Storage, logger: Logger) => new DayPartitions(storage, logger, SPAN_DAYS),
    },
  ],
  exports: [...STORES, SpanCommitParticipants, ScoresPort, ReadStorePort, DayPartitions],
})
export class RecordsModule {}
