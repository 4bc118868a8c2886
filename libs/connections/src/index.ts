export { ConnectionCallError } from './calls/connection-call-error.js';
export { ConnectionUses, type ConnectionUse } from './connection-uses.js';
export { connectionsFeature } from './connections.feature.js';
export { ConnectionsModule } from './connections.module.js';
export { Connections, ConnectionUnusable, type UsableConnection } from './connections.js';
export type { ConnectionReply, OpenConnection } from './calls/open-connection.js';
export { resealConnections, rotateKeyFile, type Rotation } from './keys/rotate-keys.js';
export { parseSecretKey, secretKeyOf, type SecretKey } from './keys/secret-key.js';
export { ConnectionsSettings } from './connections.settings.js';
