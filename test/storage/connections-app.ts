import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ConnectionResource, ConnectionTestResult, Problem } from '@spandrel/contract';
import { Connections, ConnectionUses, connectionsFeature } from '@spandrel/connections';
import { createHttpApp, createLogger, loadPlugins, type HttpAppParts, type PluginEntry } from '@spandrel/kernel';
import { openStorage, StorageModule, type Storage, type StorageConfig } from '@spandrel/storage';
import { callInProcess, takeProjectFromHeader } from '../support/in-process.ts';

/** The members of all answers; a test knows which ones it looks at. */
type Body = ConnectionResource &
  ConnectionTestResult &
  Problem & { connections: ConnectionResource[]; count: number; next_cursor: string | null; deleted: boolean };

export interface Answer {
  status: number;
  /** The body as it was sent. */
  text: string;
  body: Body;
}

export interface AppOptions {
  /** `null`: the key file in `dataDir`. */
  secretKey: Buffer | null;
  dataDir?: string;
  /** The built-in providers, unless others are given. */
  plugins?: PluginEntry[];
}

const BUILT_IN = ['openai', 'anthropic', 'ollama', 'custom'].map((use) => ({ use, config: {} }));

/** The connections feature on an open database, called as over HTTP. */
export class ConnectionsApp {
  private constructor(
    readonly storage: Storage,
    private readonly app: NestFastifyApplication,
  ) {}

  /** Opens a database and the app on it; {@link close} closes both. */
  static async open(config: StorageConfig, options: AppOptions): Promise<ConnectionsApp> {
    const logger = createLogger('silent', 'test');
    return ConnectionsApp.on(await openStorage(config, { entities: connectionsFeature.entities, logger }), options);
  }

  /** The app on a database at hand. @throws StartError as the server's start does. */
  static async on(storage: Storage, options: AppOptions): Promise<ConnectionsApp> {
    const logger = createLogger('silent', 'test');
    const { secretKey, dataDir, plugins = BUILT_IN } = options;
    const parts = {
      settings: {
        mode: 'local',
        limits: { bodyBytes: 10 << 20 },
        connections: { allowPrivate: [] },
        plugins: [],
        secretKey,
        dataDir,
      },
      plugins: await loadPlugins(plugins, logger),
      logger,
      features: [connectionsFeature],
      modules: [StorageModule.forRoot(storage)],
    };
    const app = await createHttpApp(parts as unknown as HttpAppParts);
    takeProjectFromHeader(app);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return new ConnectionsApp(storage, app);
  }

  get connections(): Connections {
    return this.app.get(Connections);
  }

  get uses(): ConnectionUses {
    return this.app.get(ConnectionUses);
  }

  /** @param path below `/api/provider-connections`. @param project whose data; local mode's when left out. */
  async call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    project?: string,
  ): Promise<Answer> {
    return callInProcess<Body>(this.app, { method, url: `/api/provider-connections${path}`, body, project });
  }

  /** Makes a connection and expects that it can be made. */
  async create(body: object = {}, project?: string): Promise<ConnectionResource> {
    const complete = {
      name: 'c',
      provider: 'custom',
      base_url: 'http://127.0.0.1:9/v1',
      api_key: 'sk-1234567',
      ...body,
    };
    const answer = await this.call('POST', '', complete, project);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  }

  /** Ends the app and leaves the database open. */
  async stop(): Promise<void> {
    await this.app.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.storage.close();
  }
}
