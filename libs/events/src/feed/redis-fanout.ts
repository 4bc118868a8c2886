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
/** Text of messages that wait for Redis, in UTF-16 units, beside the number of them that the client lets wait. */
const QUEUED_TEXT_MAX = 16 * 1024 * 1024;

/**
 * Notifies other instances of commits (docs/spec/events.md#several-servers), and hears of theirs, when there is a Redis
 * (`REDIS_URL`) and others can be on the database. Nothing depends on it but how soon an event of another instance is
 * delivered: what a message does not bring, the log does. Messages beyond what may wait are given up, and the others
 * learn that they missed something.
 */
@Injectable()
export class RedisFanout implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly instance = newId();
  private readonly url: string | null;
  /** Redis gives channels to all databases of a server: the number in the URL keeps deployments apart. */
  private readonly channel: string;
  private publisher: RedisClient | undefined;
  private subscriber: RedisClient | undefined;
  private readonly sender = new BoundedSender(
    (message) => this.publisher!.publish(this.channel, message),
    QUEUED_TEXT_MAX,
  );
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
    if (!events) void this.feeds.catchUp();
    else if (events.lines) this.feeds.publish({ ...events, lines: events.lines });
    else this.feeds.learn(events.projectId, events.lastSeq);
  };

  private async publish(batch: EventBatch): Promise<void> {
    try {
      if (!this.publisher?.isReady || !(await this.sender.offer(writeMessage(this.instance, batch)))) {
        this.owesOthers = true;
      } else if (this.sender.idle) await this.payOthers();
    } catch (error) {
      this.owesOthers = true;
      if (this.publisher?.isReady) void this.payOthers();
      else this.outage.lost(error as Error);
    }
  }

  /** Asks the others to look into the log when something could not be announced to them. */
  private async payOthers(): Promise<void> {
    if (!this.owesOthers) return;
    this.owesOthers = false;
    try {
      await this.publisher!.publish(this.channel, writeMessage(this.instance));
    } catch {
      this.owesOthers = true;
    }
  }
}

const databaseOf = (url: string | null): string => /^\/(\d+)/.exec(URL.parse(url ?? '')?.pathname ?? '')?.[1] ?? '0';

/** Longest text of events that a message carries, in UTF-16 units; receivers read longer ones from the log. */
const LINES_TEXT_MAX = 256 * 1024;

const seq = z.int().min(1);
const headSchema = z.object({
  /** The process that sends the message. */
  instance: z.string(),
  /** What was committed; left out when the sender does not know what it could not send. */
  events: z.object({ projectId: z.string(), firstSeq: seq, lastSeq: seq }).optional(),
});

/** A message from one instance to the others. */
interface FanoutMessage {
  instance: string;
  /** Committed events, without their texts when these are large; `undefined` when some could not be sent. */
  events: (Omit<EventBatch, 'lines'> & { lines: readonly string[] | undefined }) | undefined;
}

/** A message as it is sent: a line of JSON, then the JSON texts of the events, one a line, as they are. */
export function writeMessage(instance: string, batch?: EventBatch): string {
  if (!batch) return JSON.stringify({ instance });
  const { projectId, firstSeq, lastSeq, lines } = batch;
  const head = JSON.stringify({ instance, events: { projectId, firstSeq, lastSeq } });
  let length = 0;
  for (const line of lines) length += line.length;
  return length > LINES_TEXT_MAX ? head : [head, ...lines].join('\n');
}

/** @returns `undefined` for what is no message of ours. */
export function readMessage(text: string): FanoutMessage | undefined {
  const [first, ...lines] = text.split('\n');
  const head = headSchema.safeParse(parse(first!));
  if (!head.success) return undefined;
  const { instance, events } = head.data;
  if (!events) return { instance, events: undefined };
  const isWhole = lines.length === events.lastSeq - events.firstSeq + 1;
  return { instance, events: { ...events, lines: isWhole ? lines : undefined } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Sends messages as long as those on their way hold no more text than they may: behind a connection that takes nothing
 * they wait in this process's memory.
 */
export class BoundedSender {
  private onTheWay = 0;

  /**
   * @param send resolves when a message has been taken.
   * @param textMax in UTF-16 units; a message has its turn when nothing is on the way, however long it is.
   */
  constructor(
    private readonly send: (message: string) => Promise<unknown>,
    private readonly textMax: number,
  ) {}

  /** Whether everything has been taken. */
  get idle(): boolean {
    return this.onTheWay === 0;
  }

  /** @returns `false` when there is no room for it: it is not sent. @throws what sending throws. */
  async offer(message: string): Promise<boolean> {
    if (this.onTheWay > 0 && this.onTheWay + message.length > this.textMax) return false;
    this.onTheWay += message.length;
    try {
      await this.send(message);
    } finally {
      this.onTheWay -= message.length;
    }
    return true;
  }
}
