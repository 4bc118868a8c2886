import { createHash } from 'node:crypto';
import type { ChatMessage } from '../chat.js';
import type { ScoreSample } from '../scorer.js';
import type { AnswerSchema } from '../provider.js';
import { untilAborted } from '../until-aborted.js';
import { readReply, UnusableReply, type ReplyFormat } from './read-reply.js';

/** Characters of a reply that are sent back: thoughts can be long, and cost tokens. */
const REPEATED_LENGTH_MAX = 4_000;

const MARK_LENGTH = 16;

/** A question to a judge, and what it is to answer. */
export interface JudgeQuestion<Said> extends ReplyFormat<Said> {
  messages: ChatMessage[];
  schema: AnswerSchema;
  /** Template of what follows the messages where the reply to them cannot be used; `{{fault}}` is what that has. */
  correction: string;
}

/**
 * Asks a judge, at temperature 0; one whose reply cannot be used is asked once more, with what is wrong.
 * @throws UnusableReply for a second such reply; what `complete` throws; the reason of `signal` once that fires.
 */
export async function askJudge<Said>(
  { complete, signal }: Pick<ScoreSample, 'complete' | 'signal'>,
  { messages, schema, correction, ...format }: JudgeQuestion<Said>,
): Promise<{ said: Said; reason?: string }> {
  const ask = async (sent: ChatMessage[]): Promise<string> => {
    const request = { messages: sent, temperature: 0, schema };
    return (await untilAborted(signal, () => complete(request))).text;
  };
  const reply = await ask(messages);
  try {
    return readReply(reply, format);
  } catch (error) {
    if (!(error instanceof UnusableReply)) throw error;
    // Some providers refuse a message without text.
    const repeated = reply.trim() === '' ? [] : [{ role: 'assistant', content: reply.slice(0, REPEATED_LENGTH_MAX) }];
    const asked = { role: 'user', content: fillTemplate(correction, { fault: error.fault }) };
    return readReply(await ask([...messages, ...repeated, asked]), format);
  }
}

/** A mark for the lines around texts that are data to a judge. A text that held its own hash could forge one; none can be written. */
export function createMark(texts: Readonly<Record<string, string>>): string {
  const hashed = createHash('sha256');
  // With its length, so that no text can pass for the beginning of another one.
  for (const text of Object.values(texts)) hashed.update(`${text.length} `).update(text);
  return hashed.digest('hex').slice(0, MARK_LENGTH);
}

/** Puts values in the place of `{{name}}`, once: braces inside a value stay as they are. */
export const fillTemplate = (template: string, values: Record<string, string>): string =>
  template.replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => values[name]!);
