import { parseArgs } from 'node:util';
import { startFakeProvider } from './start-fake-provider.ts';

/** Runs the fake provider by itself: `node test/fake-provider/main.ts --port 4010`. */
const { values } = parseArgs({ options: { port: { type: 'string', default: '4010' } } });
const provider = await startFakeProvider({ port: Number(values.port), requestsMax: 1 });
process.stdout.write(`fake provider on ${provider.url}\n`);
