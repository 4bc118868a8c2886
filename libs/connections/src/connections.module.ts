import { Module } from '@nestjs/common';
import { CoreSettings, LOGGER, MASKING_SEALER, defineFeature, ofProjects } from '@spandrel/kernel';
import { AddressRule } from './calls/address-rule.js';
import { ChangeConnections, RestoreConnections } from './change-connections.js';
import { ConnectionClient } from './calls/connection-client.js';
import { ConnectionUses, Connections } from './connections.js';
import { ConnectionStore } from './connection.store.js';
import { ConnectionsSettings } from './connections.settings.js';
import { ConnectionsController } from './connections.controller.js';
import { FindReaders, KeyHolders } from './keys/key-holders.js';
import { KeyHolderStore } from './keys/key-holder.store.js';
import { MaskingSealer, KeyRing, openKeyRing } from './keys/sealing.js';
import { SealedTexts } from './keys/sealed-texts.js';
import { UnreadableKeys } from './keys/unreadable-keys.js';
import { TestConnection } from './calls/test-connection.js';
import { ProviderCapabilities } from './provider-capabilities.js';
import { ConnectionSchema, KeyHolderSchema, SealedTextSchema } from './connection.entity.js';

/** Provider connections: kept with their keys sealed, tested, and opened for the features that call models. */
@Module({
  controllers: [ConnectionsController],
  providers: [
    { provide: KeyRing, inject: [CoreSettings, ConnectionsSettings, LOGGER], useFactory: openKeyRing },
    { provide: MASKING_SEALER, useClass: MaskingSealer },
    KeyHolderStore,
    KeyHolders,
    UnreadableKeys,
    FindReaders,
    SealedTexts,
    ConnectionStore,
    ConnectionUses,
    AddressRule,
    { provide: ConnectionClient, useFactory: () => new ConnectionClient() },
    Connections,
    ChangeConnections,
    TestConnection,
    ProviderCapabilities,
    RestoreConnections,
  ],
  exports: [
    ...[Connections, ConnectionUses, ConnectionStore, FindReaders, RestoreConnections],
    ...[SealedTexts, AddressRule, ConnectionClient],
  ],
})
export class ConnectionsModule {}

export const connectionsFeature = defineFeature({
  name: 'connections',
  tag: { name: 'Provider connections', description: 'Credentials and endpoints of model providers.' },
  module: ConnectionsModule,
  entities: [ConnectionSchema, SealedTextSchema, KeyHolderSchema],
  owned: ofProjects('provider_connection', 'sealed_text'),
  settings: [ConnectionsSettings],
  requires: [],
});
