import { describe, expect, it } from '@jest/globals';
import { readPromptFile } from './run-options.js';

const read = (path: string, text: string) => readPromptFile(path, () => text);

describe('a file of a prompt', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: '{{input}}' },
  ];

  it('is YAML with the members of a prompt, with its messages alone, or with a text', () => {
    const yaml = '- role: system\n  content: Be brief.\n- role: user\n  content: "{{input}}"\n';
    expect(read('dir/terse.yaml', yaml)).toEqual({ name: 'terse', messages });
    const named = `name: short\nmessages:\n${yaml.replace(/^/gm, '  ')}`;
    expect(read('terse.yml', named)).toEqual({ name: 'short', messages });
    expect(read('terse.json', JSON.stringify({ messages }))).toEqual({ name: 'terse', messages });
    expect(read('kind.yaml', 'system_prompt: |\n  Be\n  kind.\n')).toEqual({
      ...{ name: 'kind', system_prompt: 'Be\nkind.\n' },
    });
    expect(read('kind.yaml', '"Be kind."')).toEqual({ name: 'kind', system_prompt: 'Be kind.' });
  });

  it('is a text: by its variables a system prompt, or what the user says', () => {
    expect(read('a.b.txt', 'Be kind.')).toEqual({ name: 'a.b', system_prompt: 'Be kind.' });
    expect(read('a', 'Q: {{ input.question }}')).toEqual({
      ...{ name: 'a', messages: [{ role: 'user', content: 'Q: {{ input.question }}' }] },
    });
    expect(read('a.prompt', 'You know {{metadata.category}}.')).toEqual({
      name: 'a',
      messages: [
        { role: 'system', content: 'You know {{metadata.category}}.' },
        { role: 'user', content: '{{messages}}' },
      ],
    });
  });

  it.each([
    ['x.yaml', '{ a: [', /^x\.yaml is not YAML: /],
    ['x.yaml', 'prompt: Be kind', /^"prompt" of x\.yaml is not known; there are name, system_prompt, messages$/],
    ['x.yaml', 'name: x', /^x\.yaml has neither messages nor system_prompt$/],
    ['x.yaml', '', /^x\.yaml has neither messages nor system_prompt$/],
  ])('is refused: %s with %j', (path, text, message) => {
    expect(() => read(path, text)).toThrow(message);
  });
});
