import { formatCount } from '@spandrel/contract/browser';

/**
 * How many calls of models a run makes, in words: one for each datapoint and try, and another for each judgement.
 * @param judges how many of the scorers ask a model.
 */
export function describeCalls(datapoints: number, repeats: number, judges: number): string {
  const calls = datapoints * repeats * (1 + judges);
  const words = `This makes ${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'}: ${repeats === 1 ? 'one' : formatCount(repeats)} for each datapoint`;
  if (judges === 0) return `${words}.`;
  const each = repeats === 1 ? '' : ' for each answer';
  return judges === 1 ? `${words}, and one of the judge${each}.` : `${words}, and ${judges} of the judges${each}.`;
}
