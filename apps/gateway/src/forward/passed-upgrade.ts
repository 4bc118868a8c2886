import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Provider } from '@spandrel/plugin-api';
import { UpstreamError } from '../upstream/upstream-client.js';
import { answerErrorOn, breakConnection } from './answer-error.js';
import type { RecordedWebSocket } from './recorded-websocket.js';

/** How an upgrade was answered, for the log; filled in when it is. */
export interface UpgradeAnswer {
  /** The request's id, as an answer of the gateway's own has it. */
  id: string;
  /** 0 while nothing was answered. */
  status: number;
}

/** How long an upstream has to take what was sent to it after its client has gone. */
const FLUSH_MS = 2_000;

/**
 * One upgrade on its way through http-proxy-3. It does what the library leaves out: the request to upstream ends with the
 * client, upstream has a time limit, a refusal is read no faster than the client reads it, an upstream that breaks off in
 * the middle of an answer is seen as that, and nothing is answered twice.
 */
export class PassedUpgrade {
  private accepted = false;

  /**
   * @param host for error messages.
   * @param provider in whose shape errors are answered; `null` when it is not known.
   * @param answer filled in.
   * @param recorded what is to see the open connection; `null` for none.
   */
  constructor(
    private readonly req: IncomingMessage,
    private readonly socket: Socket,
    private readonly host: string,
    private readonly provider: Provider | null,
    private readonly answer: UpgradeAnswer,
    private readonly recorded: RecordedWebSocket | null = null,
  ) {}

  /**
   * Takes the request to upstream before http-proxy-3 listens to it.
   * @param headMs longest time until upstream answers.
   */
  watch(request: ClientRequest, headMs: number): void {
    this.socket.once('close', () => {
      if (!this.accepted) request.destroy();
    });
    request.setTimeout(headMs, () => {
      request.destroy(new UpstreamError('timeout', 'the upstream did not answer in time'));
    });
    this.socket.on('readable', this.lookForEnd).once('end', this.leave);
    request.on('upgrade', (_response, upstream: Socket) => this.accept(upstream));
    request.on('response', (response) => {
      request.setTimeout(0);
      this.refuse(response);
    });
  }

  /** The library could not go on: says so to the client, or breaks the connection when an answer has begun. */
  fail(error: Error): void {
    if (this.answer.status !== 0) {
      breakConnection(this.socket, this.req);
      return;
    }
    this.stopLooking();
    const { host } = this;
    const known = error instanceof UpstreamError;
    const code = known && error.kind === 'refused' ? 'target_not_allowed' : 'bad_gateway';
    const message = known ? `${host}: ${error.reason}` : `${host} cannot be reached.`;
    Object.assign(this.answer, answerErrorOn(this.socket, { code, message }, this.provider));
  }

  /** Finds out, before anybody reads the client's bytes, whether the client has ended its side; they stay where they are. */
  private readonly lookForEnd = (): void => {
    if (this.socket.readableLength === 0) this.socket.read(0);
  };

  private readonly leave = (): void => void this.socket.destroy();

  private stopLooking(): void {
    this.socket.off('readable', this.lookForEnd).off('end', this.leave);
  }

  private accept(upstream: Socket): void {
    this.accepted = true;
    this.stopLooking();
    this.answer.status = 101;
    this.recorded?.watch(this.socket, upstream);
    this.socket.once('close', () => {
      upstream.destroySoon();
      const timer = setTimeout(() => upstream.destroy(), FLUSH_MS);
      upstream.once('close', () => clearTimeout(timer));
    });
  }

  private refuse(response: IncomingMessage): void {
    const { socket } = this;
    this.answer.status = response.statusCode!;
    // The connection ends with this answer, and what upstream says of its own connection does not concern the client.
    delete response.headers['keep-alive'];
    response.headers.connection = 'close';
    response.on('data', () => {
      if (socket.writableNeedDrain) response.pause();
    });
    socket.on('drain', () => response.resume());
    response.on('error', (error) => this.fail(error));
  }
}
