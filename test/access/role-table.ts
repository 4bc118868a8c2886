/** The table of docs/spec/people.md that says which role may call which route, made of what stands beside the routes. */
import { ROLES, type Role } from '@spandrel/contract';
import { rolesFor, type OpenApi } from '@spandrel/http';

type RouteFacts = OpenApi['routes'][number];

/** Routes that are the operator's alone, though they let administrators in to answer them so. */
const OPERATORS: ReadonlySet<string> = new Set(['createOrganization', 'deleteOrganization']);

/** The roles that may call a route. */
export const rolesOf = ({ operation }: RouteFacts): readonly Role[] =>
  OPERATORS.has(operation.id) ? [] : rolesFor(operation.access);

const pathOf = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

/** A line a route that needs a credential, in the order of paths and methods. */
export function roleTable(routes: readonly RouteFacts[]): string[] {
  const rows = routes
    .filter(({ operation }) => operation.access !== 'open' && operation.access !== 'anyone')
    .map((route) => ({ name: `${route.method.toUpperCase()} ${pathOf(route.path)}`, path: route.path, route }))
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.name < b.name ? -1 : 1));
  return [
    cells(['route', 'scope', ...ROLES]),
    cells(['-', '-', ...ROLES.map(() => '-')]),
    ...rows.map(({ name, route }) => {
      const may = rolesOf(route);
      return cells([`\`${name}\``, scopeOf(route), ...ROLES.map((role) => (may.includes(role) ? 'yes' : ''))]);
    }),
  ];
}

const scopeOf = ({ operation: { access, id } }: RouteFacts): string =>
  OPERATORS.has(id) || access === 'operator' ? 'operator' : access === 'caller' ? 'any' : access;

const cells = (values: readonly string[]): string => `|${values.join('|')}|`;

/** The rows of a table as a formatter leaves them: how wide its columns are means nothing. */
export const tableIn = (markdown: string): string[] =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      cells(
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim().replace(/^-+$/, '-')),
      ),
    );
