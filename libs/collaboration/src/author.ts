import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Author } from '@spandrel/contract';
import { actingParty, scopeOf, type Caller } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';

export const LOCAL_AUTHOR = 'local';

export interface Teammate {
  scope: Scope;
  /** The name that the audit log has for them, `local` where nobody signs in. */
  author: Author;
}

export const CurrentTeammate = createParamDecorator((_data: unknown, context: ExecutionContext): Teammate => {
  const { caller } = context.switchToHttp().getRequest<{ caller?: Caller }>();
  const { name: id, label: name } = caller ? actingParty(caller) : { name: LOCAL_AUTHOR, label: null };
  return { scope: scopeOf(context), author: { id, name } };
});

/** The columns that say who made a row. @param createdAt milliseconds since the epoch. */
export const createdBy = ({ id, name }: Author, createdAt: number) => ({
  ...{ createdBy: id, createdByName: name, createdAt },
});

/** Who made a row, as the wire shows it. */
export const authorOf = (row: { createdBy: string; createdByName: string | null }): Author => ({
  ...{ id: row.createdBy, name: row.createdByName },
});

/** Behind letters, a dot or a slash it is an address, not somebody. */
const NAMED = /(?<![\p{L}\p{N}_.@/-])@([\p{L}\p{N}]+(?:[._-]+[\p{L}\p{N}]+)*)/gu;
const NAMES_MAX = 20;

/** A markdown text without what stands between marks of code. */
function withoutCode(text: string, mark: string): string {
  const parts = text.split(mark);
  const isOpen = parts.length % 2 === 0;
  return parts.filter((_, at) => at % 2 === 0 || (isOpen && at === parts.length - 1)).join(' ');
}

/** Whom a markdown text names by `@name`, each once, the first 20; what is code names nobody. */
export function namesIn(text: string): string[] {
  const prose = withoutCode(withoutCode(text, '```'), '`');
  return [...new Set([...prose.matchAll(NAMED)].map(([, name]) => name!))].slice(0, NAMES_MAX);
}
