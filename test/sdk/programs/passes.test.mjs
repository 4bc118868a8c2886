/** Two evals as tests of `node:test`, of which the second does not pass. `SDK` is the folder of the built package. */
import test from 'node:test';
import { pathToFileURL } from 'node:url';

const { exactMatch, evaluate } = await import(pathToFileURL(`${process.env.SDK}/eval.js`).href);

const capitals = {
  dataset: {
    name: 'capitals of a test',
    items: [
      { input: 'France', expected: 'Paris' },
      { input: 'Peru', expected: 'Lima' },
    ],
  },
  task: ({ input }) => ({ France: 'Paris', Peru: 'Cusco' })[input],
  scorers: [exactMatch],
};

test('is right half of the time', async () => {
  (await evaluate({ ...capitals, gates: ['mean >= 0.5'] })).assertPassed();
});

test('is always right', async () => {
  (await evaluate({ ...capitals, gates: ['mean >= 90%'] })).assertPassed();
});
