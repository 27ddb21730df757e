// An empty Fastify: what any server of this kind takes to start.
import fastify from 'fastify';

const server = fastify();
server.get('/', async () => ({ ok: true }));
console.log(await server.listen({ port: 0, host: '127.0.0.1' }));
process.once('SIGTERM', () => process.exit(0));
