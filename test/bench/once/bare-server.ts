import Fastify from 'fastify';

/** A route of Fastify that does nothing: the limit of whatever is built upon it. `bare-server BYTES`. */
const body = Buffer.alloc(Number(process.argv[2] ?? 1200), 97);
const app = Fastify();
app.get('/*', async (_request, reply) => reply.header('content-type', 'application/xml').send(body));
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
