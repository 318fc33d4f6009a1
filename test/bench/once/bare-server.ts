import Fastify from 'fastify';

/**
 * A route of Fastify that does nothing: the limit of whatever is built upon it. `bare-server BYTES`. Told a number, it is busy for so
 * many microseconds with each request from then on, and does nothing all the same: what such a route takes is the machine.
 */
const body = Buffer.alloc(Number(process.argv[2] ?? 1200), 97);
const app = Fastify();
let busyMs = 0;
process.on('message', (microseconds) => {
  busyMs = Number(microseconds) / 1000;
});
app.get('/*', async (_request, reply) => {
  const until = performance.now() + busyMs;
  while (performance.now() < until);
  return reply.header('content-type', 'application/xml').send(body);
});
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
