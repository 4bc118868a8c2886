import { defineFeature } from '@spandrel/kernel';
import { ConnectionSchema } from './connection.entity.js';
import { ConnectionsModule } from './connections.module.js';

export const connectionsFeature = defineFeature({
  name: 'connections',
  module: ConnectionsModule,
  entities: [ConnectionSchema],
  requires: [],
});
