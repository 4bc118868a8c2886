/** The least a server can do: bare node http that reads a body and answers. */
import { createServer } from 'node:http';

createServer((request, response) => {
  request.resume().on('end', () => {
    const answer = '{"id":"01JBENCH000000000000000000","trace_id":"t"}';
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': answer.length });
    response.end(answer);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
