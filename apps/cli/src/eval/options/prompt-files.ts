import { basename, extname } from 'node:path';
import type { resources } from '@spandrel/sdk';
import { parse } from 'yaml';

type PromptBody = resources.StartPrompt;

const MEMBERS = ['name', 'system_prompt', 'messages'];

/**
 * Reads a prompt as `--prompt-file` takes it (docs/evaluations.md#prompts): YAML with the members of a prompt, or with its messages
 * alone; any other file is a text. The prompt has the name of the file unless the file says another.
 * @param read the text of a file. @throws Error that says what is wrong.
 */
export function readPromptFile(path: string, read: (path: string) => string): PromptBody {
  const extension = extname(path);
  const name = basename(path, extension);
  const text = read(path);
  if (!/^\.(ya?ml|json)$/i.test(extension)) return { name, ...promptOfText(text) };
  const given = parseYaml(path, text);
  if (typeof given === 'string') return { name, ...promptOfText(given) };
  if (Array.isArray(given)) return { name, messages: given as NonNullable<PromptBody['messages']> };
  const unknown = Object.keys(Object(given)).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) throw new Error(`"${unknown}" of ${path} is not known; there are ${MEMBERS.join(', ')}`);
  const prompt = Object(given) as PromptBody;
  if (prompt.messages === undefined && prompt.system_prompt === undefined) {
    throw new Error(`${path} has neither messages nor system_prompt`);
  }
  // What else may be wrong the server says, with its path.
  return { name, ...prompt };
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    throw new Error(`${path} is not YAML: ${(error as Error).message}`, { cause: error });
  }
}

/** A text without variables is a system prompt; with the input it is what the user says; with other variables it stands before that. */
function promptOfText(text: string): Omit<PromptBody, 'name'> {
  if (!text.includes('{{')) return { system_prompt: text };
  if (/\{\{\s*(?:input|messages)\b/.test(text)) return { messages: [{ role: 'user', content: text }] };
  return {
    messages: [
      { role: 'system', content: text },
      { role: 'user', content: '{{messages}}' },
    ],
  };
}
