import { readExactJson } from '@spandrel/contract/browser';

/**
 * @returns the JSON of an answer with every digit of its numbers: what was recorded is shown as it was.
 * @throws JsonSyntaxError when it is none.
 */
export const readAnswer = async <Answer>(response: Response): Promise<Answer> =>
  readExactJson(await response.text()) as Answer;
