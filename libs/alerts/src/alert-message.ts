import { createHmac } from 'node:crypto';
import type {
  AlertChannelKind,
  AlertCondition,
  AlertResource,
  AlertRule,
  Author,
  CommentTarget,
} from '@spandrel/contract';

/** What a channel is sent, as a webhook reads it (docs/spec/alerts.md#what-a-webhook-is-sent). */
export type ChannelMessage = AlertMessage | MentionMessage;

export interface AlertMessage {
  id: string;
  type: 'alert.firing' | 'alert.resolved' | 'alert.test';
  created_at: string;
  project_id: string;
  alert: Pick<AlertResource, 'id' | 'name' | 'severity' | 'measure' | 'window' | 'condition' | 'group_by'> | null;
  key: string | null;
  value: number | null;
}

export interface MentionMessage {
  id: string;
  type: 'comment.mention';
  created_at: string;
  project_id: string;
  comment: {
    id: string;
    names: string[];
    author: Author;
    target_type: CommentTarget;
    target_id: string;
    parent_id: string;
    /** The beginning of its text. */
    text: string;
    url: string;
  };
}

const WORDS = { 'alert.firing': 'Firing', 'alert.resolved': 'Resolved', 'alert.test': 'Test' } as const;

/** A condition in words: `> 5`, or `rose by more than 20% against the same hour last week`. */
function describeCondition(condition: AlertCondition): string {
  if ('op' in condition) return `${condition.op} ${condition.value}`;
  const against = condition.against === 'previous' ? 'the window before' : 'the same hour last week';
  return `${condition.change === '>' ? 'rose' : 'fell'} by more than ${condition.percent}% against ${against}`;
}

/** What an alert is about in words: `cost in 1h > 5`. */
export const describeRule = ({
  measure,
  window,
  condition,
}: Pick<AlertRule, 'measure' | 'window' | 'condition'>): string =>
  `${measure} in ${window} ${describeCondition(condition)}`;

/** A message for people: a line that names it, and what there is to say. */
export function textOf(message: ChannelMessage): { title: string; text: string } {
  if (message.type === 'comment.mention') {
    const { names, author, target_type: target, text, url } = message.comment;
    const named = names.map((name) => `@${name}`).join(', ');
    return {
      title: `${author.name ?? 'Somebody'} named ${named} in a comment on a ${target}`,
      text: `${text}\n${url}`,
    };
  }
  const { type, alert, key, value } = message;
  if (!alert) return { title: 'Test', text: 'A test of this channel: alerts of Spandrel arrive here.' };
  const group = key === null ? '' : `${alert.group_by} ${key}: `;
  const measured = value === null ? 'no data' : String(value);
  return {
    title: `${WORDS[type]}: ${alert.name}`,
    text: `${group}${measured} (${describeRule(alert)}), severity ${alert.severity}`,
  };
}

const SLACK_HEADER_MAX = 150;
const SLACK_TEXT_MAX = 2_900;

/** Characters that Slack reads as markup, of links and of mentions of everybody among them. */
const escapeForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The body of a message as a kind of channel reads it. */
export function bodyOf(kind: AlertChannelKind, message: ChannelMessage): string {
  const { title, text } = textOf(message);
  switch (kind) {
    case 'slack':
      return JSON.stringify({
        text: escapeForSlack(`${title}: ${text}`).slice(0, SLACK_TEXT_MAX),
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: title.slice(0, SLACK_HEADER_MAX) } },
          { type: 'section', text: { type: 'mrkdwn', text: escapeForSlack(text).slice(0, SLACK_TEXT_MAX) } },
        ],
      });
    case 'teams':
      return JSON.stringify({
        type: 'message',
        attachments: [{ contentType: ADAPTIVE_CARD, content: cardOf(title, text) }],
      });
    default:
      return JSON.stringify(message);
  }
}

const ADAPTIVE_CARD = 'application/vnd.microsoft.card.adaptive';

const cardOf = (title: string, text: string) => ({
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  type: 'AdaptiveCard',
  version: '1.4',
  body: [
    { type: 'TextBlock', text: title, weight: 'Bolder', size: 'Medium', wrap: true },
    // A run of text is shown as it is; a TextBlock reads Markdown.
    { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] },
  ],
});

/**
 * The headers by which a receiver knows a message and whom it is from, as the Standard Webhooks have them.
 * @param secret as it was given; bytes in base64 behind `whsec_`. @param at seconds since the epoch.
 */
export function webhookHeaders(
  id: string,
  body: string,
  secret: string | undefined,
  at: number,
): Record<string, string> {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(at) };
  if (secret === undefined) return headers;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}
