import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AuditTrailModule } from '@spandrel/audit';
import type { Registry } from '@prometheus-io/client';
import { createHttpApp, type AccessLog } from '@spandrel/http';
import { LifeLog, loadPlugins, selectFeatures, type Feature, type Logger, type Settings } from '@spandrel/kernel';
import { MaskingModule } from '@spandrel/masking';
import { databaseOf, openStorage, StorageModule, type Storage, type StorageConfig } from '@spandrel/storage';
import { FEATURES } from './features.js';

/** Tables whose rows go with their project, those of what works on its own first: runs stop before what they use goes. */
const OWNED_TABLES = FEATURES.toReversed().flatMap(({ owned = [] }) => owned);

export interface ServerOptions {
  logger: Logger;
  /** What the log says of the start; a command says only what it migrated. */
  life?: LifeLog;
  /** The features that it can have, of which the settings choose some; all when left out. */
  features?: readonly Feature[];
  /** The database; the one of the settings when left out. */
  database?: StorageConfig;
  /** A database that is open already, for {@link openServer}; it stays open when the server closes. */
  storage?: Storage;
  metrics?: Registry;
  accessLog?: AccessLog;
  gatewayUrl?: () => string | null;
}

/** A server put together. Neither does it listen, nor has its own work begun: that is what `app.init()` is for. */
export interface OpenedServer {
  app: NestFastifyApplication;
  storage: Storage;
  close(): Promise<void>;
}

/**
 * Puts the API server of the settings together; programs, commands and tests all do it here.
 * @throws StartError when a setting, a plugin or the database does not allow it; nothing is left open then.
 */
export async function openServer(settings: Settings, options: ServerOptions): Promise<OpenedServer> {
  const features = chosenFeatures(settings, options.features);
  const database = options.storage ? undefined : (options.database ?? databaseOf(settings));
  const plugins = await loadPlugins(settings.core.plugins, options.logger);
  options.life?.starting(plugins, features);
  const opened = database && (await openDatabase(settings, { ...options, features, database }));
  const storage = opened ?? options.storage!;
  try {
    const modules = [StorageModule.forRoot(storage, OWNED_TABLES), AuditTrailModule, MaskingModule];
    const app = await createHttpApp({ ...options, settings, plugins, features, modules });
    const close = async (): Promise<void> => {
      await app.close();
      await opened?.close();
    };
    return { app, storage, close };
  } catch (error) {
    await opened?.close();
    throw error;
  }
}

/** Opens a database for some features, migrated to the newest schema: for commands that need no application. */
export const openDatabase = (
  settings: Settings,
  { logger, life, features = FEATURES, database = databaseOf(settings), metrics }: ServerOptions,
): Promise<Storage> =>
  openStorage(database, {
    entities: features.flatMap(({ entities }) => entities),
    logger,
    migrated: (applied, ms) => {
      if (life) life.migrated(applied, ms);
      else if (applied.length > 0) new LifeLog(logger, settings.core.mode).migrated(applied, ms);
    },
    ...(metrics && { metrics }),
  });

function chosenFeatures({ core }: Settings, some: readonly Feature[] | undefined): Feature[] {
  if (!some) return selectFeatures(FEATURES, core.mode, core.features);
  const wanted = core.features?.filter((name) => some.some((feature) => feature.name === name));
  return selectFeatures(some, core.mode, wanted);
}
