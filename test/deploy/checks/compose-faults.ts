import { DCLinter } from 'dclint';
import { parse } from 'yaml';

/** What dclint's own types leave open under Node's module resolution. */
interface Result {
  messages: { line: number; rule: string; message: string }[];
}

interface Service {
  image?: string;
  build?: { target?: string };
  healthcheck?: unknown;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  restart?: string;
}

/**
 * Lints a compose file by dclint, warnings too, and by what this project asks: versions pinned, a read-only root, no
 * capability that is not asked for, a health check on every service.
 * @param base the text of the file that this one is laid over. @returns one line a fault.
 */
export function composeFaults(path: string, text: string, base = text): string[] {
  const results = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] }).lintFiles(
    [path],
    false,
  ) as Result[];
  const faults = results.flatMap(({ messages }) =>
    messages.map(({ line, rule, message }) => `line ${line}: ${message} (${rule})`),
  );
  const servicesOf = (of: string) => (parse(of, { merge: true }) as { services: Record<string, Service> }).services;
  const below = servicesOf(base);
  for (const [name, own] of Object.entries(servicesOf(text))) {
    const service = { ...below[name], ...own };
    const fault = (what: string) => faults.push(`service ${name}: ${what}`);
    if (service.image && !/:\d+\.\d+/.test(service.image)) fault(`${service.image} is not pinned to a version`);
    if (!service.image && !service.build?.target) fault('has neither image nor target');
    if (!service.healthcheck && !service.build) fault('has no health check');
    if (!service.read_only) fault('can write its root file system');
    if (!service.cap_drop?.includes('ALL')) fault('keeps capabilities');
    if (!service.security_opt?.includes('no-new-privileges:true')) fault('may gain privileges');
    if (!service.restart) fault('is not restarted');
  }
  return faults;
}
