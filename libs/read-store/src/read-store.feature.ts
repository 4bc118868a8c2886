import { defineFeature, ofProjects } from '@spandrel/kernel';
import { ReadStoreChangeSchema, ReadStoreStateSchema } from './read-store.entity.js';
import { ReadStoreModule } from './read-store.module.js';
import { ReadStoreSettings } from './read-store.settings.js';

export const readStoreFeature = defineFeature({
  name: 'read-store',
  module: ReadStoreModule,
  entities: [ReadStoreChangeSchema, ReadStoreStateSchema],
  owned: ofProjects('read_store_change'),
  settings: [ReadStoreSettings],
  requires: ['tracing'],
});
