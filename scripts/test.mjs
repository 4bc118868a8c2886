/**
 * The test commands, by their tiers: `quick` (`npm test`) is the build, static checks, unit tests and whole-system tests on
 * SQLite, `full` (`npm run test:full`) is what else there is, and both together are what CI runs. Each runs everything even
 * when something fails, and ends with one line that counts checks and tests: `N passed, N failed`.
 *
 * `node scripts/test.mjs TIER [TIER] [options of jest]`
 */
import '../bin/require-node.mjs';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const options = process.argv.slice(2);
const tiers = [];
while (['quick', 'full'].includes(options[0])) tiers.push(options.shift());

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (path) => join(root, 'node_modules', path);
const scratch = mkdtempSync(join(memoryDisk() ?? tmpdir(), 'spandrel-test-'));
const reports = scratch;
// Postgres runs as a user of its own where the tests are root's.
chmodSync(scratch, 0o755);
// Each test file makes and drops a world of its own: with more room for what is young, the collector has far less to do.
const JEST = [
  '--max-semi-space-size=64',
  '--min-semi-space-size=64',
  '--initial-old-space-size=1500',
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  bin('jest/bin/jest.js'),
];

let isSystemDone = false;
/**
 * Beside the whole-system tests, which go first; of its own right once they are done. Not the lowest priority, with which
 * it would never end beside another program that keeps the machine busy.
 */
const IN_BACKGROUND = {
  stdio: 'pipe',
  get priority() {
    return isSystemDone ? constants.priority.PRIORITY_NORMAL : NICE;
  },
};
/** So that it lasts about as long as they do, and takes what the shorter ones leave in the end, which wait more. */
const NICE = 8;

const build = { build: ['scripts/build.mjs'] };
const checks = {
  nest: [bin('@nestjs/cli/bin/nest.js'), 'build', 'server'],
  // On one thread: several check the same types once each, and other steps have the other cores.
  types: [bin('typescript7/bin/tsc'), '--noEmit', '--singleThreaded', '-p', '.'],
  'types of the dashboard': [bin('typescript7/bin/tsc'), '--noEmit', '--singleThreaded', '-p', 'apps/dashboard'],
  format: [bin('oxfmt/bin/oxfmt'), '--check', '.'],
  imports: [
    bin('dependency-cruiser/bin/dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    'apps',
    'libs',
    'plugins',
  ],
  deploy: ['scripts/lint-deploy.mjs'],
  references: ['scripts/check-references.mjs'],
  tables: ['scripts/check-tables.mjs'],
  decisions: ['scripts/check-decisions.mjs'],
  statements: ['scripts/check-statements.mjs'],
  comments: ['scripts/check-comments.mjs'],
  sockets: ['scripts/check-sockets.mjs'],
  'regular expressions': ['scripts/check-regexps.mjs'],
  dashboard: ['scripts/check-dashboard.mjs'],
  unused: [bin('knip/bin/knip.js')],
  lint: [bin('oxlint/bin/oxlint'), '--deny-warnings'],
};

/** How many checks and tests each tier has; a whole run keeps it about right. */
const SIZES = 'test/runner/tiers.json';
const sizes = JSON.parse(readFileSync(join(root, SIZES), 'utf8'));
const COMMANDS = { quick: 'npm test', full: 'npm run test:full' };

// Tests note here which queries have returned rows of their shapes (`libs/storage/src/statements/checked-rows.ts`).
const answered = join(scratch, 'answered.jsonl');
process.env.SPANDREL_ANSWERED_QUERIES = answered;

console.log(`seed of random tests: ${process.env.SPANDREL_TEST_SEED ?? 0} (SPANDREL_TEST_SEED)`);

const total = { passed: 0, failed: 0, skipped: 0 };
/** What failed, with its first words: said again at the end, as logs are often cut to that. */
const failures = [];
const sum = () => total.passed + total.failed + total.skipped;
const isWhole = options.length === 0;
// The programs that tests start, and the checks of documents and images, read what is built.
await check(Object.entries(build));
for (const tier of tiers) await runTier(tier);
// One tier alone has rows of some of the queries only.
if (tiers.length === 2 && isWhole) await check([['rows', ['scripts/check-statements.mjs', '.', answered]]]);
rmSync(scratch, { recursive: true, force: true });
const others = Object.keys(COMMANDS).filter((tier) => !tiers.includes(tier));
console.log(
  [
    ...tiers.map((tier) => `${COMMANDS[tier]} ran here.`),
    ...others.map((tier) => `${COMMANDS[tier]} has ${sizes[tier].toLocaleString('en')} more tests.`),
  ].join(' '),
);
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function runTier(tier) {
  const before = sum();
  if (tier === 'quick') await quick();
  else await jest('full', 3);
  if (isWhole) checkSize(tier, sum() - before);
}

/** Most whole-system tests wait more than they work: three at once, and what minds no delay takes what they leave. */
async function quick() {
  await Promise.all([
    jest('system', 3).then(() => (isSystemDone = true)),
    check(Object.entries(checks), IN_BACKGROUND).then(() => jest('unit', 2, IN_BACKGROUND)),
  ]);
}

/** The other command's last line says the size. */
function checkSize(tier, size) {
  if (Math.abs(size - sizes[tier]) <= sizes[tier] / 10) return;
  failures.push(`size: ${COMMANDS[tier]} has ${size} checks and tests, and ${SIZES} says ${sizes[tier]}: change it`);
  total.failed++;
}

async function check(queue, settings) {
  for (const [name, args] of queue) {
    const { code, ms, output } = await run(args, settings);
    total[code === 0 ? 'passed' : 'failed']++;
    if (code !== 0) failures.push(`check ${name}`);
    console.log(`${output}${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${(ms / 1000).toFixed(1)} s)`);
  }
}

async function jest(project, workers, settings) {
  const report = join(reports, `${project}.json`);
  const { code, output } = await run(
    [
      ...JEST,
      '--selectProjects',
      project,
      `--maxWorkers=${workers}`,
      '--passWithNoTests',
      '--json',
      '--outputFile',
      report,
      ...options,
    ],
    settings,
  );
  if (output) console.log(output);
  count(project, report, code);
}

function count(project, report, code) {
  let counts;
  try {
    counts = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    counts = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, numRuntimeErrorTestSuites: 0 };
  }
  total.passed += counts.numPassedTests;
  total.skipped += counts.numPendingTests;
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites;
  total.failed += failed > 0 ? failed : code === 0 ? 0 : 1;
  const before = failures.length;
  for (const { name, message, assertionResults, status } of counts.testResults ?? []) {
    const file = relative(root, name);
    const failing = assertionResults.filter((test) => test.status === 'failed');
    for (const test of failing) failures.push(`${file}: ${test.fullName}\n${firstLines(test.failureMessages[0])}`);
    if (status === 'failed' && failing.length === 0) failures.push(`${file}\n${firstLines(message)}`);
  }
  if (code !== 0 && failures.length === before) failures.push(`jest ended with ${code} at ${project}`);
}

function firstLines(text = '') {
  return stripVTControlCharacters(text).split('\n').slice(0, 12).join('\n');
}

/**
 * A disk in memory with room for the databases of the tests: half of their time would go into waiting for a disk. What a
 * crash of the program loses is the same on both; what a power cut loses no test can show.
 */
function memoryDisk() {
  const path = '/dev/shm';
  const wanted = 6 * 2 ** 30;
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize > wanted ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param options.priority of the system's scheduler.
 * @param options.stdio `pipe` keeps what the program says, so that two at once do not talk into one another.
 */
function run(args, { stdio = 'inherit', priority = 0 } = {}) {
  const started = Date.now();
  const { promise, resolve } = Promise.withResolvers();
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['inherit', stdio, stdio],
    env: { ...process.env, TMPDIR: scratch },
  });
  if (priority !== 0) setPriority(child.pid, priority);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  child.on('close', (code) => resolve({ code, ms: Date.now() - started, output }));
  return promise;
}
