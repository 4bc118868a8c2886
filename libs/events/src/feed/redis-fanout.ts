import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  CoreSettings,
  dropRedisClient,
  type Logger,
  LOGGER,
  makeRedisClient,
  newId,
  OutageLog,
  type RedisClient,
  withinMs,
} from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { z } from 'zod';
import type { EventBatch } from '../log/event-batch.js';
import { EventBus, ProjectFeeds } from './project-feeds.js';

const START_MS_MAX = 1_000;

/** What one instance sends the others. */
const messageSchema = z.object({
  /** The process that sends it. */
  instance: z.string(),
  /** Which events were committed; left out when the sender does not know what it could not send. */
  events: z.object({ projectId: z.string(), firstSeq: z.int().min(1), lastSeq: z.int().min(1) }).optional(),
});

/**
 * Notifies other instances of commits (docs/spec/events.md#several-servers), and hears of theirs, when there is a Redis
 * (`REDIS_URL`) and others can be on the database. Messages have numbers of events, whose texts the log has: nothing depends on
 * them but how soon an event of another instance is delivered. Those that Redis does not take are given up, and the others learn
 * that they missed something.
 */
@Injectable()
export class RedisFanout implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly instance = newId();
  private readonly url: string | null;
  /** Redis gives channels to all databases of a server: the number in the URL keeps deployments apart. */
  private readonly channel: string;
  private publisher: RedisClient | undefined;
  private subscriber: RedisClient | undefined;
  private readonly outage: OutageLog;
  /** Whether there were commits that could not be announced to the others. */
  private owesOthers = false;

  constructor(
    { redisUrl }: CoreSettings,
    bus: EventBus,
    private readonly feeds: ProjectFeeds,
    storage: Storage,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.outage = new OutageLog(logger, {
      lost: 'Redis cannot be reached: events of other instances come late; trying on',
      found: 'Redis is reached again',
    });
    // Who speaks of a database of this process's own speaks of another one: its project is not this one's.
    this.url = storage.exclusive ? null : redisUrl;
    this.channel = `spandrel:events:${databaseOf(redisUrl)}`;
    if (this.url !== null) bus.subscribe((batch) => void this.publish(batch));
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.url === null) return;
    const publisher = await this.makeClient(this.url);
    const subscriber = await this.makeClient(this.url);
    this.publisher = publisher;
    this.subscriber = subscriber;
    publisher.on('ready', () => void this.payOthers());
    const heard = Promise.withResolvers<void>();
    subscriber.on('ready', () => void this.subscribe(subscriber).then(heard.resolve));
    for (const client of [publisher, subscriber]) void client.connect().catch(() => undefined);
    await withinMs(START_MS_MAX, heard.promise, () => undefined);
  }

  /** Closes after the last request, so that its events are sent too. */
  onApplicationShutdown(): void {
    for (const client of [this.publisher, this.subscriber]) {
      if (client) dropRedisClient(client);
    }
  }

  private async makeClient(url: string): Promise<RedisClient> {
    const client = await makeRedisClient(url, true);
    client.on('error', (error: Error) => this.outage.lost(error));
    return client;
  }

  private async subscribe(subscriber: RedisClient): Promise<void> {
    try {
      await subscriber.subscribe(this.channel, this.receive);
      // Answered behind everything before it: Redis has taken the subscription, a renewed one too.
      await subscriber.ping();
      this.outage.found();
      await this.feeds.catchUp();
    } catch (error) {
      this.outage.lost(error as Error);
    }
  }

  /** One function: a renewed subscription must not be a second one. */
  private readonly receive = (text: string): void => {
    const message = readMessage(text);
    if (!message || message.instance === this.instance) return;
    const { events } = message;
    if (events) this.feeds.learn(events.projectId, events.lastSeq);
    else void this.feeds.catchUp();
  };

  private async publish({ projectId, firstSeq, lastSeq }: EventBatch): Promise<void> {
    if (!this.publisher?.isReady) {
      this.owesOthers = true;
      return;
    }
    try {
      await this.send({ projectId, firstSeq, lastSeq });
      await this.payOthers();
    } catch (error) {
      this.owesOthers = true;
      if (this.publisher.isReady) void this.payOthers();
      else this.outage.lost(error as Error);
    }
  }

  /** Asks the others to look into the log when something could not be announced to them. */
  private async payOthers(): Promise<void> {
    if (!this.owesOthers) return;
    this.owesOthers = false;
    try {
      await this.send();
    } catch {
      this.owesOthers = true;
    }
  }

  private async send(events?: z.output<typeof messageSchema>['events']): Promise<void> {
    await this.publisher!.publish(this.channel, JSON.stringify({ instance: this.instance, events }));
  }
}

const databaseOf = (url: string | null): string => /^\/(\d+)/.exec(URL.parse(url ?? '')?.pathname ?? '')?.[1] ?? '0';

/** @returns `undefined` for what is no message of ours. Servers of 0.1.0 send texts of events in lines behind the first. */
export function readMessage(text: string): z.output<typeof messageSchema> | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(text.split('\n', 1)[0]!)).data;
  } catch {
    return undefined;
  }
}
