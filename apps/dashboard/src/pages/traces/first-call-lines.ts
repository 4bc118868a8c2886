/** The languages in which the first call is shown. */
export const LANGUAGES = [
  { id: 'curl', label: 'curl' },
  { id: 'python', label: 'Python' },
  { id: 'typescript', label: 'TypeScript' },
] as const;

export type Language = (typeof LANGUAGES)[number]['id'];

/** Lines that send a call through the gateway. @param needsKey whether it wants a key of Spandrel's own. */
export function firstCallLines(language: Language, gateway: string, needsKey: boolean): string {
  return { curl: curlLines, python: pythonLines, typescript: typescriptLines }[language](gateway, needsKey);
}

const BODY = '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}';
const KEY_HEADER = 'X-Spandrel-Key';
const KEY_VARIABLE = 'SPANDREL_KEY';

function curlLines(gateway: string, needsKey: boolean): string {
  return [
    `curl ${gateway}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer $OPENAI_API_KEY" \\`,
    ...(needsKey ? [`  -H "${KEY_HEADER}: $${KEY_VARIABLE}" \\`] : []),
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${BODY}'`,
  ].join('\n');
}

function pythonLines(gateway: string, needsKey: boolean): string {
  return [
    ...(needsKey ? ['import os'] : []),
    'from openai import OpenAI',
    '',
    needsKey
      ? `client = OpenAI(base_url="${gateway}/v1", default_headers={"${KEY_HEADER}": os.environ["${KEY_VARIABLE}"]})`
      : `client = OpenAI(base_url="${gateway}/v1")`,
    'answer = client.chat.completions.create(',
    '    model="gpt-4o-mini", messages=[{"role": "user", "content": "Hello"}]',
    ')',
    'print(answer.choices[0].message.content)',
  ].join('\n');
}

function typescriptLines(gateway: string, needsKey: boolean): string {
  const headers = needsKey ? `, defaultHeaders: { '${KEY_HEADER}': process.env.${KEY_VARIABLE} }` : '';
  return [
    `import OpenAI from 'openai';`,
    '',
    `const client = new OpenAI({ baseURL: '${gateway}/v1'${headers} });`,
    'const answer = await client.chat.completions.create({',
    `  model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }],`,
    '});',
    'console.log(answer.choices[0].message.content);',
  ].join('\n');
}
