import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { defineFeature, ofProjects, PLUGINS } from '@spandrel/kernel';
import { TracingModule } from '@spandrel/tracing';
import { AnswerHeader } from './answer-header.js';
import { CoolDays } from './cool-days.js';
import { configuredStore, READ_STORE } from './configured-store.js';
import { KeepReadStore } from './keep-read-store.js';
import { LoadReadStore } from './load-read-store.js';
import { NoteChanges } from './note-changes.js';
import { ReadStoreChangeStore } from './read-store-change.store.js';
import { ReadStoreDayStore } from './read-store-day.store.js';
import { ReadStoreMetrics } from './read-store-metrics.js';
import { ReadStoreChangeSchema, ReadStoreDaySchema, ReadStoreStateSchema } from './read-store.entity.js';
import { ReadStoreSettings } from './read-store.settings.js';
import { StoredLists } from './stored-lists.js';

/** A store beside the database that lists spans (ADR 0084). */
@Module({
  imports: [TracingModule],
  providers: [
    { provide: READ_STORE, inject: [ReadStoreSettings, PLUGINS], useFactory: configuredStore },
    { provide: APP_INTERCEPTOR, useClass: AnswerHeader },
    ...[ReadStoreDayStore, CoolDays],
    ...[ReadStoreChangeStore, ReadStoreMetrics, NoteChanges, LoadReadStore, StoredLists, KeepReadStore],
  ],
})
class ReadStoreModule {}

export const readStoreFeature = defineFeature({
  name: 'read-store',
  module: ReadStoreModule,
  entities: [ReadStoreChangeSchema, ReadStoreDaySchema, ReadStoreStateSchema],
  owned: ofProjects('read_store_change', 'read_store_day'),
  settings: [ReadStoreSettings],
  requires: ['tracing'],
});
