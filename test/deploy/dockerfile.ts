import { readFileSync } from 'node:fs';

/** One `COPY`: from another stage, or from the build context where there is none. */
export interface Copy {
  from: string | null;
  sources: string[];
  destination: string;
}

/** A stage of the Dockerfile, as far as it decides what is in an image and how it starts. */
export interface Stage {
  name: string;
  /** The image or stage that it begins with. */
  base: string;
  copies: Copy[];
  /** What each `RUN` runs. */
  runs: string[];
  env: Record<string, string>;
  user: string | undefined;
  entrypoint: string[] | undefined;
  command: string[] | undefined;
  healthcheck: string[] | undefined;
  exposed: string[];
  stopSignal: string | undefined;
}

/**
 * Reads the stages of the Dockerfile, in order. It knows what this project's own uses, no more: exec forms, `ENV a=b`,
 * `COPY` without globs.
 */
export function readStages(path = 'Dockerfile'): Stage[] {
  const lines = readFileSync(path, 'utf8')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '');
  const stages: Stage[] = [];
  for (const line of lines.split('\n')) {
    const [, word, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (!word || rest === undefined) continue;
    if (word === 'FROM') stages.push(newStage(rest));
    else apply(stages.at(-1)!, word, rest);
  }
  return stages;
}

/** A stage with all that it takes over from the stages below it; `runs` and `copies` of the lowest come first. */
export function wholeStage(stages: readonly Stage[], name: string): Stage {
  const own = stages.find((stage) => stage.name === name);
  if (!own) throw new Error(`the Dockerfile has no stage ${name}`);
  const below = stages.some((stage) => stage.name === own.base) ? wholeStage(stages, own.base) : undefined;
  if (!below) return own;
  return {
    ...own,
    base: below.base,
    copies: [...below.copies, ...own.copies],
    runs: [...below.runs, ...own.runs],
    env: { ...below.env, ...own.env },
    user: own.user ?? below.user,
    entrypoint: own.entrypoint ?? below.entrypoint,
    command: own.command ?? below.command,
    healthcheck: own.healthcheck ?? below.healthcheck,
    exposed: [...below.exposed, ...own.exposed],
    stopSignal: own.stopSignal ?? below.stopSignal,
  };
}

function newStage(rest: string): Stage {
  const [base = '', , name = ''] = rest.split(/\s+/);
  return {
    name,
    base,
    copies: [],
    runs: [],
    env: {},
    user: undefined,
    entrypoint: undefined,
    command: undefined,
    healthcheck: undefined,
    exposed: [],
    stopSignal: undefined,
  };
}

function apply(stage: Stage, word: string, rest: string): void {
  const execForm = (text: string) => JSON.parse(text) as string[];
  switch (word) {
    case 'COPY': {
      const words = rest.split(/\s+/);
      const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : null;
      stage.copies.push({ from, sources: words.slice(0, -1), destination: words.at(-1)! });
      break;
    }
    case 'RUN':
      stage.runs.push(rest);
      break;
    case 'ENV': {
      const [key = '', value = ''] = rest.split('=');
      stage.env[key] = value;
      break;
    }
    case 'USER':
      stage.user = rest;
      break;
    case 'EXPOSE':
      stage.exposed.push(rest);
      break;
    case 'STOPSIGNAL':
      stage.stopSignal = rest;
      break;
    case 'ENTRYPOINT':
      stage.entrypoint = execForm(rest);
      break;
    case 'CMD':
      stage.command = execForm(rest);
      break;
    case 'HEALTHCHECK':
      stage.healthcheck = execForm(rest.slice(rest.indexOf('CMD ') + 'CMD '.length));
      break;
  }
}
