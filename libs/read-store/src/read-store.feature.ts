import { defineFeature, ofProjects } from '@spandrel/kernel';
import { ReadStoreChangeSchema, ReadStoreDaySchema, ReadStoreStateSchema } from './read-store.entity.js';
import { ReadStoreModule } from './read-store.module.js';
import { ReadStoreSettings } from './read-store.settings.js';

export const readStoreFeature = defineFeature({
  name: 'read-store',
  module: ReadStoreModule,
  entities: [ReadStoreChangeSchema, ReadStoreDaySchema, ReadStoreStateSchema],
  owned: ofProjects('read_store_change', 'read_store_day'),
  settings: [ReadStoreSettings],
  requires: ['tracing'],
});
