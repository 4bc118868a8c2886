import { expect, it } from '@jest/globals';
import { functionToolOf } from './function-tool.js';

const schema = { type: 'object', properties: { harbour: { type: 'string' } } };
const TIDE = { name: 'tide', description: 'of a port', schema };
const named = { name: 'tide', description: 'of a port' };

it.each([
  ['Chat Completions', { type: 'function', function: { ...named, parameters: schema, strict: true } }, TIDE],
  ['Responses', { type: 'function', ...named, parameters: schema }, TIDE],
  ['Messages', { ...named, input_schema: schema }, TIDE],
  ['Messages, typed', { type: 'custom', ...named, input_schema: schema }, TIDE],
  ['no description or schema', { name: 'tide' }, { name: 'tide', schema: { type: 'object', properties: {} } }],
  ['a custom tool of OpenAI', { type: 'custom', name: 'sh', format: {} }, null],
  ['a search of the provider', { type: 'web_search_20250305', name: 'web_search' }, null],
  ['nothing', null, null],
])('reads a tool of %s', (_api, definition, expected) => {
  expect(functionToolOf(definition)).toEqual(expected);
});
