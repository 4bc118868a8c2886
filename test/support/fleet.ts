import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from './api.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { ADMIN_TOKEN, cloudEnvironment, createTenant, type Tenant, type TenantOptions } from './tenant.ts';
import { freePorts } from './ports.ts';
import { createMigrated } from './migrated-database.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { makeRedis, type TestRedis } from './redis.ts';
import { startSpandrel, tempDir, until, type Spandrel } from './spandrel.ts';

export interface FleetOptions {
  /** How many servers; two when left out. */
  servers?: number;
  /** Variables of all programs, beside those that cloud mode needs. */
  env?: Record<string, string>;
  /** Yaml for all programs. */
  config?: string;
}

/** The built programs in cloud mode: servers on one Postgres and one Redis behind a balancer, and gateways. */
export class Fleet {
  private readonly gateways: Spandrel[] = [];

  private constructor(
    private readonly postgres: TestPostgres,
    readonly redis: TestRedis,
    readonly servers: Spandrel[],
    readonly balancer: Balancer,
    private readonly starting: { env: Record<string, string>; args: string[] },
  ) {}

  static async start({ servers: count = 2, env, config }: FleetOptions = {}): Promise<Fleet> {
    const [postgres, redis, ports] = await Promise.all([startPostgres(), makeRedis(), freePorts(count)]);
    await redis.start();
    const starting = {
      env: {
        ...cloudEnvironment(await createMigrated(postgres, 'fleet')),
        SPANDREL_SHUTDOWN_DELAY: '3',
        SPANDREL_ACCESS_LOG: 'false',
        REDIS_URL: redis.url,
        ...env,
      },
      args: configArgs(config),
    };
    const servers = await Promise.all(ports.map((port) => startSpandrel({ command: 'server', port, ...starting })));
    const balancer = await startBalancer(servers.map(({ apiUrl }) => apiUrl));
    return new Fleet(postgres, redis, servers, balancer, starting);
  }

  /** All servers by the balancer, with the admin token. */
  get api(): Api {
    return this.through(this.balancer.url);
  }

  /** One server, with the admin token. */
  at = (index: number): Api => this.through(this.servers[index]!.apiUrl);

  createTenant = (options?: TenantOptions): Promise<Tenant> => createTenant(this.api, options ?? {});

  /** Starts a gateway before the balancer. @param key its own, of the scope `ingest`. */
  async startGateway(key: string, env: Record<string, string> = {}): Promise<Spandrel> {
    const gateway = await startSpandrel({
      command: 'gateway',
      args: this.starting.args,
      env: {
        SPANDREL_MODE: 'cloud',
        SPANDREL_HOST: '127.0.0.1',
        SPANDREL_API_URL: this.balancer.url,
        SPANDREL_API_KEY: key,
        ...env,
      },
    });
    this.gateways.push(gateway);
    return gateway;
  }

  /** Ends a server. @returns its exit code. */
  end = (index: number, signal: NodeJS.Signals): Promise<number | null> => this.servers[index]!.stop(signal);

  /** Starts a server that has ended again, on its port; the balancer takes it from then on. */
  async revive(index: number): Promise<void> {
    const port = Number(new URL(this.servers[index]!.apiUrl).port);
    const server = await startSpandrel({ command: 'server', port, ...this.starting });
    this.servers[index] = server;
    await until(() => this.balancer.takes(server.apiUrl));
  }

  async stop(): Promise<void> {
    this.balancer.close();
    await Promise.all([...this.gateways, ...this.servers].map((program) => program.stop('SIGKILL')));
    await this.redis.crash();
    await this.postgres.stop();
  }

  private through = (url: string): Api => new Api(url).as(ADMIN_TOKEN);
}

function configArgs(config: string | undefined): string[] {
  if (config === undefined) return [];
  const file = join(tempDir(), 'fleet.yaml');
  writeFileSync(file, config);
  return ['--config', file];
}
