export { ConnectionCallError } from './connection-call-error.js';
export { ConnectionUses, type ConnectionUse } from './connection-uses.js';
export { connectionsFeature } from './connections.feature.js';
export { ConnectionsModule } from './connections.module.js';
export { Connections, ConnectionUnusable, type UsableConnection } from './connections.js';
export type { ConnectionReply, OpenConnection } from './open-connection.js';
export { resealConnections, rotateKeyFile, type Rotation } from './rotate-keys.js';
export { parseSecretKey, secretKeyOf, type SecretKey } from './secret-key.js';
