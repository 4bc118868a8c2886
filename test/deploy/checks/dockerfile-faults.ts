import { validate } from 'dockerfile-utils';
import { readStages, wholeStage } from '../dockerfile.ts';

/** What must hold of the Dockerfile. */
export interface DockerfileRules {
  text: string;
  path: string;
  /** The Node that the project runs on here. */
  nodeVersion: string;
  /** Targets with the port that each serves by default. */
  targets: Readonly<Record<string, number>>;
}

/**
 * Lints the Dockerfile by dockerfile-utils, and by what this project asks of its images: pinned bases with the project's
 * own Node, a user that is a number other than 0, exec forms, a health check, the port it serves.
 * @returns one line a fault.
 */
export function dockerfileFaults({ text, path, nodeVersion, targets }: DockerfileRules): string[] {
  const faults = validate(text).map(({ range, message }) => `line ${range.start.line + 1}: ${message}`);
  const stages = readStages(path);
  for (const { base, name } of stages) {
    if (stages.some((stage) => stage.name === base)) continue;
    if (!/:\d+\.\d+\.\d+-/.test(base)) faults.push(`stage ${name}: ${base} is not pinned to a version`);
    if (!base.startsWith(`node:${nodeVersion}-`))
      faults.push(`stage ${name}: ${base} is not the project's Node ${nodeVersion}`);
  }
  for (const [target, port] of Object.entries(targets)) {
    const stage = wholeStage(stages, target);
    if (!/^[1-9]\d*:[1-9]\d*$/.test(stage.user ?? ''))
      faults.push(`target ${target}: USER must be numbers other than 0`);
    if (!stage.entrypoint || !stage.command) faults.push(`target ${target}: needs ENTRYPOINT and CMD`);
    if (!stage.healthcheck) faults.push(`target ${target}: needs a HEALTHCHECK`);
    if (stage.stopSignal !== 'SIGTERM') faults.push(`target ${target}: must be stopped by SIGTERM`);
    if (!stage.exposed.includes(String(port))) faults.push(`target ${target}: does not expose ${port}`);
  }
  return faults;
}
