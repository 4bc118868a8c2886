import { describe, expect, it } from '@jest/globals';
import type { DatapointKind } from '@spandrel/contract';
import { createPrompt, fillPrompt, findPromptFaults, hasValue, listMembers } from './prompt.js';

const generic = (input: unknown, metadata?: Record<string, unknown>): DatapointKind => ({
  Generic: { input, ...(metadata && { metadata }) },
});
const user = (content: string) => ({ role: 'user' as const, content });
const fill = (content: string, kind: DatapointKind) =>
  fillPrompt(createPrompt({ messages: [user(content)], system_prompt: null }), kind);
const textOf = (content: string, kind: DatapointKind) => fill(content, kind)[0]!.content;

describe('a prompt without messages', () => {
  const sent = (kind: DatapointKind, text: string | null) => fillPrompt(createPrompt({ system_prompt: text }), kind);

  it('has the system prompt first, as it stands, then the input as the user says it', () => {
    expect(sent(generic('Hi'), 'Be {{brief}}')).toEqual([{ role: 'system', content: 'Be {{brief}}' }, user('Hi')]);
    expect(sent(generic('Hi'), null)).toEqual([user('Hi')]);
  });

  it('writes JSON compactly', () => {
    for (const [input, text] of [
      [{ a: [1, 'b'] }, '{"a":[1,"b"]}'],
      [12, '12'],
      [null, 'null'],
      [false, 'false'],
      ['', ''],
    ]) {
      expect(sent(generic(input), null)).toEqual([user(text as string)]);
    }
  });

  it('puts it in the place of system messages, or in one with the first or last of them', () => {
    const system = (content: unknown) => ({ role: 'system', content });
    const change = (mode: 'replace' | 'prepend' | 'append', ...own: unknown[]) =>
      fillPrompt(createPrompt({ system_prompt: 'New', system_prompt_mode: mode }), {
        LlmConversation: { messages: [...own.map(system), user('Hi')] },
      });
    const parts = [{ type: 'text', text: 'Own' }];
    expect(change('replace', 'Own', 'Other')).toEqual([system('New'), user('Hi')]);
    expect(change('prepend', 'Own', 'Other')).toEqual([system('New\n\nOwn'), system('Other'), user('Hi')]);
    expect(change('append', 'Own', 'Other')).toEqual([system('Own'), system('Other\n\nNew'), user('Hi')]);
    expect(change('append', parts)).toEqual([system([...parts, { type: 'text', text: 'New' }]), user('Hi')]);
    for (const mode of ['replace', 'prepend', 'append'] as const) {
      expect(change(mode)).toEqual([system('New'), user('Hi')]);
    }
  });

  it('puts the system prompt before the messages of a conversation, whatever they begin with', () => {
    const messages = [
      { role: 'system', content: 'Own' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }], name: 'Ann' },
      { role: 'assistant', tool_calls: [{ id: '1' }] },
    ];
    const asked = sent({ LlmConversation: { messages } }, 'Other');
    const kept = [messages[0], messages[1], { role: 'assistant', content: null, tool_calls: [{ id: '1' }] }];
    expect(asked).toEqual([{ role: 'system', content: 'Other' }, ...kept]);
    expect(sent({ LlmConversation: { messages } }, null)).toEqual(kept);
  });
});

describe('the messages of a prompt', () => {
  const datapoint = generic(
    { question: 'Who?', list: ['a', { b: true }], 'a.b': 'dotted', none: null, big: JSON.rawJSON('1.10') },
    { category: 'legal', 'Customer type': 'new', nested: { 'x.y': { z: 0 } }, braces: '{{input}} $& $1' },
  );

  it.each<[string, string]>([
    ['{{input.question}}', 'Who?'],
    ['{{ input.question }} in {{metadata.category}}!', 'Who? in legal!'],
    ['{{input.list}}', '["a",{"b":true}]'],
    ['{{input.list.1.b}}', 'true'],
    ['{{input.a.b}}', 'dotted'],
    ['{{input.big}}', '1.10'],
    ['{{metadata.Customer type}}', 'new'],
    ['{{metadata.nested.x.y}}', '{"z":0}'],
    // What a datapoint has is not read for variables.
    ['{{metadata.braces}}', '{{input}} $& $1'],
    ['{"a": {"b": 1}} and \\{{input}} and \\\\{{x', '{"a": {"b": 1}} and {{input}} and \\{{x'],
    ['{"q": {{metadata.category}}}', '{"q": legal}'],
    ['no variable', 'no variable'],
    ['', ''],
  ])('are filled: %s', (content, text) => {
    expect(findPromptFaults([user(content)], 'config.messages')).toEqual([]);
    expect(textOf(content, datapoint)).toBe(text);
  });

  it('have the whole input of any kind, and the conversation alone', () => {
    expect(textOf('Q: {{input}}', generic('Hi'))).toBe('Q: Hi');
    expect(textOf('Q: {{input}}', generic([1]))).toBe('Q: [1]');
    const messages = [
      { role: 'user', content: 'A?' },
      { role: 'assistant', content: 'B' },
    ];
    const conversation: DatapointKind = { LlmConversation: { messages, metadata: { tone: 'dry' } } };
    expect(textOf('{{input.0.content}} {{metadata.tone}}', conversation)).toBe('A? dry');
    expect(textOf('{{input}}', conversation)).toBe(JSON.stringify(messages));
    const around = [{ role: 'system' as const, content: 'S' }, user(' {{ messages }}\n'), user('End')];
    const prompt = createPrompt({ messages: around, system_prompt: null });
    expect(fillPrompt(prompt, conversation)).toEqual([around[0], ...messages, around[2]]);
    expect(fillPrompt(prompt, generic('Hi'))).toEqual([around[0], user('Hi'), around[2]]);
  });

  it.each<[string, RegExp]>([
    ['{{question}}', /^names the unknown variable "question"; there are \{\{input\}\}, .*\\\{\{$/],
    ['{{}}', /unknown variable ""/],
    ['{{input.}}', /unknown variable "input\."/],
    ['{{metadata}}', /unknown variable "metadata"/],
    ['{{#if input}}x{{/if}}', /unknown variable "#if input"/],
    ['{{{input}}}', /unknown variable "\{input"/],
    ['{{"score": 1}}', /unknown variable/],
    ['{{expected_output}}', /unknown variable/],
    ['{{messages.0}}', /unknown variable/],
    [`{{input.${'x'.repeat(600)}}}`, /unknown variable/],
    ['a {{input', /^has \{\{ without \}\}/],
    ['So: {{messages}}', /must have \{\{messages\}\} alone/],
    ['{{messages}}{{messages}}', /must have \{\{messages\}\} alone/],
  ])('are refused: %s', (content, message) => {
    expect(findPromptFaults([user('fine'), user(content)], 'config.messages')).toEqual([
      { path: 'config.messages[1].content', message: expect.stringMatching(message) },
    ]);
  });

  it('have the conversation once, and not too many variables', () => {
    const twice = [user('{{messages}}'), user('{{messages}}')];
    expect(findPromptFaults(twice, 'at')).toEqual([{ path: 'at[1].content', message: 'names {{messages}} once more' }]);
    const many = [user('{{input}}'.repeat(60)), user('{{input}}'.repeat(41))];
    expect(findPromptFaults(many, 'at')).toEqual([{ path: 'at', message: 'has more than 100 variables' }]);
  });

  it.each([
    'input.other',
    'input.none',
    'metadata.other',
    'input.question.length',
    'input.list.length',
    'input.list.7',
  ])('lack %s where the datapoint does', (name) => {
    const messages = [user(`{{${name}}}`)];
    const [member] = listMembers(createPrompt({ messages, system_prompt: null }));
    expect(hasValue(datapoint, member!.variable)).toBe(false);
    expect(() => textOf(`{{${name}}}`, datapoint)).toThrow(`the datapoint has no ${name}, which the prompt names`);
  });

  it('stay short enough to be sent', () => {
    expect(() => textOf('{{input}}'.repeat(5), generic('x'.repeat(5_000_000)))).toThrow(
      'more than 20000000 characters',
    );
  });

  it('are read in one go, whatever stands in them', () => {
    for (const content of ['{'.repeat(1_000_000), '\\{{'.repeat(300_000), '}'.repeat(1_000_000)]) {
      expect(() => findPromptFaults([user(content)], 'at')).not.toThrow();
    }
  });
});
