import { defineFeature } from '@spandrel/kernel';
import { TransferModule } from './transfer.module.js';

export const transferFeature = defineFeature({
  name: 'transfer',
  module: TransferModule,
  entities: [],
  requires: ['tracing', 'datasets'],
});
