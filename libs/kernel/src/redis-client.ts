import type { createClient } from 'redis';

const CONNECT_MS_MAX = 5_000;
const RECONNECT_MS_MIN = 100;
const RECONNECT_MS_MAX = 3_000;
/** Commands that may wait for Redis; those beyond it are refused. */
const QUEUED_COMMANDS_MAX = 1_000;

export type RedisClient = ReturnType<typeof createClient>;

/** A client of Redis, not connected yet, whose commands fail at once without a connection. @param reconnects by itself. */
export async function makeRedisClient(url: string, reconnects: boolean): Promise<RedisClient> {
  // Loaded where it is wanted only: it takes a good part of the start.
  const redis = await import('redis');
  return redis.createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: QUEUED_COMMANDS_MAX,
    socket: {
      connectTimeout: CONNECT_MS_MAX,
      reconnectStrategy:
        reconnects && ((retries: number) => Math.min(RECONNECT_MS_MAX, RECONNECT_MS_MIN * 2 ** Math.min(retries, 10))),
    },
  }) as RedisClient;
}

/** Ends a client for good; what is still under way fails, and nothing is said of it. */
export function dropRedisClient(client: RedisClient): void {
  client.removeAllListeners();
  client.on('error', () => undefined);
  client.destroy();
}
