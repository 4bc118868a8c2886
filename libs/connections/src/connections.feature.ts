import { defineFeature, ofProjects } from '@spandrel/kernel';
import { ConnectionSchema } from './connection.entity.js';
import { KeyHolderSchema } from './keys/key-holder.entity.js';
import { SealedTextSchema } from './keys/sealed-text.entity.js';
import { ConnectionsModule } from './connections.module.js';
import { ConnectionsSettings } from './connections.settings.js';

export const connectionsFeature = defineFeature({
  name: 'connections',
  tag: { name: 'Provider connections', description: 'Credentials and endpoints of model providers.' },
  module: ConnectionsModule,
  entities: [ConnectionSchema, SealedTextSchema, KeyHolderSchema],
  owned: ofProjects('provider_connection', 'sealed_text'),
  settings: [ConnectionsSettings],
  requires: [],
});
