import { clientCommand, type ClientProgram } from '../client-command.js';
import { callApi, type ApiOptions } from './call-api.js';

const HELP = `
Parameters:
  k=v    a parameter of the query of GET, HEAD and DELETE; a text member of the JSON body of others
  k:=v   a member of the body that is JSON: a number, a list, an object
  k==v   a parameter of the query, whatever the method

With -f the file is the body, and all parameters are of the query.`;

/** `spandrel api`. */
export function addApi(client: ClientProgram, description: string): void {
  const api = client.program
    .command('api')
    .description(description)
    .argument('<method>', 'GET, POST, PUT, PATCH, DELETE or HEAD')
    .argument('<path>', 'such as /api/traces')
    .argument('[parameters...]', 'k=v')
    .option('-f, --file <file>', 'the body; - is standard input')
    .option('-H, --header <header>', "such as 'accept: text/csv'; may be repeated", collect)
    .option('-i, --include', 'show the status and the headers, too')
    .addHelpText('after', HELP);
  clientCommand<ApiOptions, [string, string, string[]]>(client, api, callApi);
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];
