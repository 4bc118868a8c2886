import { defineFeature } from '@spandrel/kernel';
import { TransferModule } from './transfer.module.js';
import { TransferSettings } from './transfer.settings.js';

export const transferFeature = defineFeature({
  name: 'transfer',
  tag: { name: 'Transfer', description: 'Everything out, and in again.' },
  module: TransferModule,
  entities: [],
  settings: [TransferSettings],
  requires: ['tracing', 'datasets', 'connections', 'evals', 'queue', 'scores', 'collaboration', 'alerts'],
});
