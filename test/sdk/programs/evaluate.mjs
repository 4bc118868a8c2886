/**
 * An eval of 200 datapoints × 3 with the built package, as its one argument says in JSON: `sdk` is the folder of the package, `calls` a
 * file that each call of the task is written to, `hangsFrom` the call from which on none comes back, `resume` a run to go on with.
 * Prints the result.
 */
import { appendFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { sdk, calls, hangsFrom = Infinity, resume } = JSON.parse(process.argv[2]);
const entry = (name) => import(pathToFileURL(`${sdk}/${name}.js`).href);
const { Spandrel } = await entry('index');
const { contains, defineEval, evaluate, scorer } = await entry('eval');

/** The application's own, which knows nothing of the eval. */
const app = new Spandrel();
let called = 0;

const definition = defineEval({
  dataset: {
    name: 'numbers',
    items: Array.from({ length: 200 }, (_, n) => ({ input: { n }, expected: `${n}`, metadata: { even: n % 2 === 0 } })),
  },
  task: async ({ input: { n } }, { repeat }) => {
    appendFileSync(calls, `${n} ${repeat}\n`);
    if (++called >= hangsFrom) await new Promise(() => {});
    return app.span('inner', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1 + (n % 3)));
      if (n % 20 === 7) throw new Error(`no answer to ${n}`);
      return (n + repeat) % 4 === 0 ? 'wrong' : `it is ${n}`;
    });
  },
  scorers: [contains, scorer('short', ({ output }) => Math.min(1, 5 / output.length), { weight: 0 })],
  repeats: 3,
  concurrency: 10,
  gates: ['mean >= 0.5', 'contains.pass_hat_k@3 >= 10%'],
});

const { run, statistics, gates, passed } = await evaluate({ ...definition, resume });
process.stdout.write(JSON.stringify({ runId: run.id, statistics, gates, passed }));
