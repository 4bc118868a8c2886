/**
 * An application that records with the SDK and does what the test asks for: `node app.mjs '{"row": …, "options": …}'` with
 * the package's address in SPANDREL_SDK. It looks itself whether recording changes what its functions return and throw.
 */
const { Spandrel } = await import(process.env.SPANDREL_SDK);
const { row, options, masks, signals } = JSON.parse(process.argv[2]);

const spandrel = new Spandrel({
  ...options,
  ...(masks && {
    mask: () => {
      throw new Error('the mask is broken');
    },
  }),
});
if (signals) spandrel.onSignals();
// An end of its own, which recording must not change.
process.exitCode = 7;

const answered = { answered: true };
const refusal = new Error('the application refuses');
const plain = spandrel.observe((question) => (question === 'what?' ? answered : question), { name: 'plain' });
const later = spandrel.observe(async () => answered, { name: 'later' });
const refuse = spandrel.observe(
  () => {
    throw refusal;
  },
  { name: 'refuse' },
);
const refuseLater = spandrel.observe(async () => Promise.reject(refusal), { name: 'refuse later' });
const stream = spandrel.observe(
  async function* () {
    yield answered;
    yield 2;
  },
  { name: 'stream' },
);

/** Whether each function does what it did before it was observed. Five spans. */
async function isUnchanged() {
  const items = [];
  for await (const item of stream()) items.push(item);
  return (
    plain('what?') === answered &&
    (await later()) === answered &&
    caught(refuse) === refusal &&
    (await refuseLater().catch((error) => error)) === refusal &&
    items.length === 2 &&
    items[0] === answered &&
    items[1] === 2
  );
}

function caught(run) {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

const commands = {
  /** Five spans of the functions above, and `count` of `bytes` each, in one trace. */
  async record({ count, bytes, name = 'plain' }) {
    return spandrel.trace(row, { tags: [row] }, async () => {
      const wrapped = spandrel.observe((text) => text.length, { name });
      for (let n = 0; n < count; n++) wrapped(`${String(n).padStart(6, '0')} ${'x'.repeat(bytes)}`);
      return isUnchanged();
    });
  },
  flush: (flushOptions) => spandrel.flush(flushOptions),
  /** A span that does not end. */
  async leaveRunning() {
    await spandrel.trace(row, { tags: [row] }, async () => void spandrel.startSpan('unfinished'));
  },
  rss: () => process.memoryUsage.rss(),
  /** The application has nothing else to do. */
  end: () => process.disconnect(),
};

process.on('message', async ({ call, argument }) => {
  const result = await commands[call](argument ?? {});
  if (process.connected) process.send({ result });
});
process.send({ result: 'ready' });
