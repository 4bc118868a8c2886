import { Inject, Injectable } from '@nestjs/common';
import { AddressRule, ConnectionCallError, ConnectionClient } from '@spandrel/connections';
import type { AlertChannelKind, AlertChannelTest } from '@spandrel/contract';
import { projectScope } from '@spandrel/kernel';
import { createTransport } from 'nodemailer';
import type { AlertChannelRow } from './alert.entity.js';
import { AlertChannelStore, recipientsOf } from './alert-channel.store.js';
import { bodyOf, textOf, webhookHeaders, type ChannelMessage } from './alert-message.js';
import { AlertsSettings } from './alerts.settings.js';

const TIMEOUT_MS = 10_000;

/** How long an email may take as a whole, below the time that its delivery is held; each step of it {@link TIMEOUT_MS}. */
const EMAIL_MS_MAX = 50_000;

/** What became of a message; `error` is `null` when it has arrived. */
type Sent = Omit<AlertChannelTest, 'ok' | 'latency_ms'>;

/** Sends messages to channels, once each; the caller tries again. */
@Injectable()
export class SendMessage {
  constructor(
    private readonly channels: AlertChannelStore,
    private readonly client: ConnectionClient,
    private readonly addresses: AddressRule,
    @Inject(AlertsSettings) private readonly settings: AlertsSettings,
  ) {}

  /** @param now milliseconds since the epoch. Never throws for a receiver that does not take it. */
  async send(channel: AlertChannelRow, message: ChannelMessage, now: number): Promise<Sent> {
    try {
      return channel.kind === 'email' ? await this.mail(channel, message) : await this.post(channel, message, now);
    } catch (error) {
      return { status: null, error: sentenceOf(error, channel.host) };
    }
  }

  private async post(channel: AlertChannelRow, message: ChannelMessage, now: number): Promise<Sent> {
    const { url: text, secret } = await this.channels.secretsOf(projectScope(channel.projectId), channel.id);
    if (text === undefined) return { status: null, error: NO_URL };
    // The rule may have come after the channel, or the operator has taken its host off the list.
    const fault = this.addresses.faultOf(text, null);
    if (fault !== undefined) return { status: null, error: `url ${fault}` };
    const url = new URL(text);
    const body = bodyOf(channel.kind as AlertChannelKind, message);
    const { status } = await this.client.send(
      {
        ...{ origin: url.origin, server: url.origin, path: url.pathname + url.search, method: 'POST', body },
        headers: {
          ...{ 'content-type': 'application/json', 'user-agent': 'spandrel', 'accept-encoding': 'identity' },
          ...(channel.kind === 'webhook' && webhookHeaders(message.id, body, secret, Math.floor(now / 1_000))),
        },
        guarded: this.addresses.guards(text, null),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    return { status, error: status >= 200 && status < 300 ? null : `HTTP ${status} from ${url.origin}` };
  }

  private async mail(channel: AlertChannelRow, message: ChannelMessage): Promise<Sent> {
    const { smtp, smtpFrom } = this.settings;
    if (smtp === null) return { status: null, error: 'this server sends no email: alerts.smtp is not set' };
    const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    const { title, text } = textOf(message);
    const transport = createTransport({ url: smtp, ...limits, disableFileAccess: true, disableUrlAccess: true });
    try {
      // One id for all attempts, so that mailboxes can leave a second one out.
      const messageId = `<${message.id}@spandrel>`;
      const [to, signal] = [recipientsOf(channel), AbortSignal.timeout(EMAIL_MS_MAX)];
      await transport.sendMail({ from: smtpFrom, to, subject: title, text, messageId, signal });
      return { status: null, error: null };
    } finally {
      transport.close();
    }
  }
}

const NO_URL = 'the channel has no url that this server can read: give it with PUT /api/alert-channels/:id';

/** An error without secrets: a url holds one, and an SMTP server may repeat what it was sent. */
function sentenceOf(error: unknown, host: string | null): string {
  if (!(error instanceof ConnectionCallError)) {
    const { code } = error as { code?: unknown };
    if (code === 'EABORT') return `the email was not taken within ${EMAIL_MS_MAX / 1_000} s`;
    return `the email was not taken${typeof code === 'string' ? `: ${code}` : ''}`;
  }
  if (error.kind === 'timeout') return `no answer from ${host} within ${TIMEOUT_MS / 1_000} s`;
  return error.kind === 'refused' ? `${host} is not known, or has an address that is not public` : error.message;
}
