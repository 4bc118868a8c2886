import { describe, expect, it } from '@jest/globals';
import { readConversation } from '@spandrel/contract';
import { ANSWER_SHAPES, askedFor } from '../../../../../test/support/answer-shapes.js';
import { conversationText } from './show-trace.js';

describe('a conversation as text', () => {
  it.each(Object.entries(ANSWER_SHAPES))('has the answer of %s', (_form, shape) => {
    expect(conversationText(readConversation(null, shape('High water is at noon.')))).toContain(
      'High water is at noon.',
    );
  });

  it('has each message below its role, and one alone as its text', () => {
    const text = conversationText(readConversation(askedFor('When?').slice(1), null));
    expect(text).toContain('[user]\nWhich harbour is this?\n(image) data:image/png;base64,');
    expect(text).toContain('[assistant]\n(tool call harbours) {"near":"Hull"}\n\n[tool]\n{"name":"Albert Dock"}');
    expect(text.endsWith('\n\n[user]\nWhen?')).toBe(true);
    expect(conversationText(readConversation(null, { text: 'Noon.', finish_reason: 'stop' }))).toBe('Noon.');
    expect(conversationText(readConversation(null, { a: 1 }))).toBe('{\n  "a": 1\n}');
  });
});
