import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ConnectionResource, ConnectionTestResult, Problem } from '@spandrel/contract';
import {
  Connections,
  connectionsFeature,
  ConnectionsSettings,
  ConnectionUses,
  SealedTexts,
} from '@spandrel/connections';
import type { PluginEntry } from '@spandrel/kernel';
import type { OpenedServer } from '@spandrel/server';
import type { Storage, StorageConfig } from '@spandrel/storage';
import { callInProcess } from '../support/in-process.ts';
import { openInProcess } from '../support/server-app.ts';

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
  readonly storage: Storage;
  private readonly app: NestFastifyApplication;

  private constructor(private readonly server: OpenedServer) {
    this.storage = server.storage;
    this.app = server.app;
  }

  /** Opens a database and the app on it; {@link close} closes both. */
  static open(database: StorageConfig, options: AppOptions): Promise<ConnectionsApp> {
    return ConnectionsApp.start({ database }, options);
  }

  /** The app on a database at hand, which stays open. @throws StartError as the server's start does. */
  static on(storage: Storage, options: AppOptions): Promise<ConnectionsApp> {
    return ConnectionsApp.start({ storage }, options);
  }

  private static async start(
    where: { database: StorageConfig } | { storage: Storage },
    { secretKey, dataDir, plugins = BUILT_IN }: AppOptions,
  ): Promise<ConnectionsApp> {
    const server = await openInProcess(
      { ...where, features: [connectionsFeature] },
      {
        settings: (settings) => {
          settings.core.plugins = plugins;
          settings.of(ConnectionsSettings).secretKey = secretKey;
          if (dataDir !== undefined) settings.core.dataDir = dataDir;
        },
      },
    );
    return new ConnectionsApp(server);
  }

  get connections(): Connections {
    return this.app.get(Connections);
  }

  get texts(): SealedTexts {
    return this.app.get(SealedTexts);
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

  /** Ends the app, and closes the database that it opened. */
  close(): Promise<void> {
    return this.server.close();
  }
}
