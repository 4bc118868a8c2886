import type { ChatMessage } from '../chat.js';
import { completionOf, type Completion } from './completion.js';
import { conversationOf, isAllMessages } from './conversation.js';
import type { Given } from './dialect.js';

/** A value as messages ({@link conversationOf}). What it was made of stays where it was when there is more in it. */
export const asConversation = (given: Given): Given<ChatMessage[]> => ({
  ...whole(given),
  value: conversationOf(given.value),
});

/**
 * A value as a completion ({@link completionOf}). What it was made of stays where it was when there is more in it.
 * @param finishReasons as `completionOf` takes them.
 */
export const asCompletion = (given: Given, finishReasons: readonly string[] = []): Given<Completion | undefined> => ({
  ...whole(given),
  value: completionOf(given.value, finishReasons),
});

const whole = (given: Given): Given => (isAllMessages(given.value) ? given : { value: given.value });
