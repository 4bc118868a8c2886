import { IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { letOthersRun } from '@spandrel/kernel';
import { RequestScheduler } from './request-scheduler.js';

interface Intake {
  /** The answer to the newest request; answers go out in order, so that all are out when this one is. */
  newest: ServerResponse | undefined;
  /** No request behind the newest is taken any more. */
  takesNoMore: boolean;
  /** The bytes behind the newest request were no HTTP, or came too late; they are answered once. */
  isRefused: boolean;
  inLine: number;
}

/** So many requests may wait behind others until no more is read of their connection. */
const IN_LINE_MAX = 16;

/** What has been read of a connection may hold so many: 64 KiB can be 2,000 requests, all parsed in one turn. */
const PIPELINED_MAX = 1_024;

/** A body's pieces that are short are handed over as they come, so many of them; from then on those of one read together. */
const SHORT_BYTES_MAX = 1_024;
const SHORT_PIECES_MAX = 16;

const intakes = new WeakMap<Duplex, Intake>();

/** What is known of the requests of a connection. */
export function intakeOf(socket: Duplex): Intake {
  let intake = intakes.get(socket);
  if (!intake) intakes.set(socket, (intake = { newest: undefined, takesNoMore: false, isRefused: false, inLine: 0 }));
  return intake;
}

/** Whether an answer has gone out whole, and the connection carries the next one. */
export const hasGoneOut = (answer: ServerResponse): boolean => answer.writableFinished && answer.socket === null;

/** Whether a connection owes the answer to a request that has come over it. */
export function owesAnswer(socket: Duplex): boolean {
  const newest = intakes.get(socket)?.newest;
  return newest !== undefined && !hasGoneOut(newest);
}

/** A request of both listeners. CONNECT is a method like any other: Node would hand over the bare socket, without listeners. */
export class IntakeRequest extends IncomingMessage {
  /** Whether the parser takes what comes behind this request for bytes of another protocol, and loses it. */
  declare endsParsing: boolean | undefined;
  declare private isUpgrade: boolean | undefined;
  private shortPieces = 0;
  /** Short pieces of one read of the connection, which others have their turn behind. */
  private readonly gathered: Buffer[] = [];

  /** Written by Node's parser, and once more after `shouldUpgradeCallback` was asked; read by its server. */
  get upgrade(): boolean {
    return this.isUpgrade === true && this.method !== 'CONNECT';
  }

  set upgrade(isUpgrade: boolean | null) {
    if (isUpgrade === true) this.endsParsing = true;
    this.isUpgrade = isUpgrade === true;
  }

  /**
   * Called by Node's parser with the next piece of the body, `null` at its end. Megabytes of chunks of one byte each are read
   * in few turns otherwise, and each chunk is worked on.
   * @returns false to read no more of the connection until {@link _read}.
   */
  override push(piece: Buffer | null): boolean {
    if (piece !== null && piece.length <= SHORT_BYTES_MAX && ++this.shortPieces > SHORT_PIECES_MAX) {
      if (this.gathered.push(piece) === 1) void letOthersRun().then(() => this.handOver());
      return false;
    }
    this.handOver();
    return super.push(piece);
  }

  override _read(size: number): void {
    if (this.gathered.length === 0) super._read(size);
  }

  private handOver(): void {
    const gathered = this.gathered.splice(0);
    if (gathered.length > 0) super.push(Buffer.concat(gathered));
  }
}

/**
 * Whether a request is the opening of a WebSocket that may leave HTTP (RFC 6455, 4.1): of HTTP/1.1, without a body, with no
 * answer owed before it. Any other request with `Upgrade` is answered as if it had none (RFC 9110, 7.8).
 */
export const opensWebSocket = ({ method, httpVersion, headers, socket }: IncomingMessage): boolean =>
  method === 'GET' &&
  httpVersion === '1.1' &&
  headers.upgrade?.trim().toLowerCase() === 'websocket' &&
  headers['transfer-encoding'] === undefined &&
  (headers['content-length'] ?? '0') === '0' &&
  !owesAnswer(socket);

/**
 * Takes the next request of a connection. One that asks for another protocol without getting it is the last: Node's parser
 * has lost what came behind it, so that later bytes may begin anywhere. So is one that waits behind {@link PIPELINED_MAX}.
 * @returns false for a request behind the last one of its connection, which is dropped.
 */
export function takeRequest(request: IncomingMessage, answer: ServerResponse): boolean {
  const intake = intakeOf(request.socket);
  if (intake.takesNoMore) {
    request.resume();
    stopParsing(request.socket);
    return false;
  }
  if (answer.socket === null) standInLine(intake, request.socket, answer);
  intake.newest = answer;
  if ((request as IntakeRequest).endsParsing === true || intake.inLine === PIPELINED_MAX) refuseUnread(request, answer);
  return true;
}

/** Drops what else comes over a connection unread: Node's server would keep every request that it parses until the end. */
function stopParsing(socket: Socket): void {
  if (socket.listeners('data').includes(drop)) return;
  socket.on('data', drop);
  for (const parse of socket.listeners('data')) if (parse !== drop) socket.off('data', parse as () => void);
}

const drop = (): void => undefined;

function standInLine(intake: Intake, socket: Socket, answer: ServerResponse): void {
  // Node resumes a connection behind each request, and when an answer has gone out.
  if (++intake.inLine === IN_LINE_MAX + 1) socket.on('resume', socket.pause).pause();
  answer.once('close', () => {
    if (--intake.inLine === IN_LINE_MAX) socket.off('resume', socket.pause).resume();
  });
}

/** Makes an answer whose head has not gone out the last one of its connection: it says so, and nothing behind it is taken. */
export function endWith(answer: ServerResponse): void {
  answer.shouldKeepAlive = false;
  intakeOf(answer.req.socket).takesNoMore = true;
}

/**
 * Makes an answer the last of its connection, whose client may still be sending: a body that is refused unread, or requests
 * that the parser has lost. The connection then ends as {@link endLingering} has it. Called before the answer's head goes
 * out; the answer itself waits for nothing.
 */
export function refuseUnread(request: IncomingMessage, answer: ServerResponse): void {
  endWith(answer);
  // Node ends a connection after its last answer so.
  request.socket.destroySoon = () => {
    request.resume();
    endLingering(request.socket);
  };
}

/** Puts {@link takeRequest} before the listeners of a server. A request whose answer waits behind others begins later. */
export function guardRequests(server: Server): void {
  const turns = new RequestScheduler(server);
  const listeners = server.listeners('request') as ((request: IncomingMessage, answer: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, answer: ServerResponse) => {
    if (!takeRequest(request, answer)) return;
    const begin = (): void => listeners.forEach((listener) => listener.call(server, request, answer));
    // The client may be gone by then: nothing that begins now would hear of it.
    if (answer.socket === null) turns.begin(() => request.socket.destroyed || begin(), true);
    else begin();
  });
}

/** How long a client may pause, and go on in all, while it sends what nobody wants. nginx waits as long for one. */
const PAUSE_MS_MAX = 5_000;
const LINGER_MS_MAX = 10_000;
/** A pause is counted in so many steps, so that a process that stood still meanwhile counts one of them. */
const PAUSE_STEPS = 10;
const STEP_MS = PAUSE_MS_MAX / PAUSE_STEPS;

const lingering = new WeakSet<Duplex>();

/** Whether a connection has been ended by {@link endLingering} and still reads what comes. */
export const isLingering = (socket: Duplex): boolean => lingering.has(socket);

/**
 * Ends a connection after what has been written to it, and drops what its client still sends: closing at once would reset
 * it, and a client that writes before it reads would not see the answer (RFC 9112, 9.6).
 */
export function endLingering(socket: Socket): void {
  lingering.add(socket);
  let read = socket.bytesRead;
  let steps = 0;
  let quietSteps = 0;
  const step = setInterval(() => {
    quietSteps = socket.bytesRead === read ? quietSteps + 1 : 0;
    read = socket.bytesRead;
    if (++steps * STEP_MS >= LINGER_MS_MAX || quietSteps >= PAUSE_STEPS) socket.destroy();
  }, STEP_MS);
  socket.once('close', () => clearInterval(step));
  if (socket.destroyed) clearInterval(step);
  socket.end();
  socket.resume();
}
