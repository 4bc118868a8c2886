export { FEATURES } from './features.js';
export { openDatabase, openServer, type OpenedServer, type ServerOptions } from './open-server.js';
